"""What the house bots are worth, and what the game is like: experiments, and a page that is made of them."""
