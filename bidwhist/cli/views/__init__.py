"""What several commands share: cards, hands, tables and decisions on the screen, and common options."""
