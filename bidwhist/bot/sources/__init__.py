"""Where bots come from: a class for each kind of spec, behind the interface `BotSource`."""
