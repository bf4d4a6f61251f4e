"""The 98 action ids, to and from plain strings (contract, section "Actions: 98 ids").

Cards are strings, suit first: ``"SA"``, ``"HT"``, ``"D2"``, ``"JR"``, ``"JB"``.
"""

SUITS = "SHDC"
RANKS = "23456789TJQKA"
JOKERS = ("JB", "JR")
STRAINS = ("U", "D", "N", "")
TRUMPS = "SHDCN"
DIRECTIONS = "UDL"

PASS = 54
FIRST_BID = 55
FIRST_NAME = 83
ACTIONS = 98


def card_id(card: str) -> int:
    """Id of a card: 13 * suit + rank, then 52 for the black joker and 53 for the red one."""
    if card in JOKERS:
        return 52 + JOKERS.index(card)
    if len(card) != 2:
        raise ValueError(f"{card!r} is not a card")
    return 13 * SUITS.index(card[0]) + RANKS.index(card[1])


def id_card(action: int) -> str:
    """The card an id 0-53 stands for."""
    if not 0 <= action <= 53:
        raise ValueError(f"{action} is not a card")
    if action >= 52:
        return JOKERS[action - 52]
    return SUITS[action // 13] + RANKS[action % 13]


def bid_id(level: int, strain: str) -> int:
    """Id of a bid; the strain is ``"U"``, ``"D"``, ``"N"``, or ``""`` for a bare number."""
    if not 1 <= level <= 7:
        raise ValueError(f"no level {level}")
    return FIRST_BID + 4 * (level - 1) + STRAINS.index(strain)


def id_bid(action: int) -> tuple[int, str]:
    """Level and strain of a bid id 55-82."""
    if not FIRST_BID <= action < FIRST_NAME:
        raise ValueError(f"{action} is not a bid")
    return (action - FIRST_BID) // 4 + 1, STRAINS[(action - FIRST_BID) % 4]


def call_id(call: str) -> int:
    """Id of a call as text: ``"P"``, ``"4U"``, ``"4D"``, ``"4N"``, or a bare ``"4"``."""
    return PASS if call == "P" else bid_id(int(call[0]), call[1:])


def id_call(action: int) -> str:
    """The text of a call id 54-82."""
    if action == PASS:
        return "P"
    level, strain = id_bid(action)
    return f"{level}{strain}"


def name_id(trump: str, direction: str) -> int:
    """Id of a naming; the trump is a suit letter or ``"N"`` for none, the direction ``"U"``, ``"D"`` or ``"L"``."""
    return FIRST_NAME + 3 * TRUMPS.index(trump) + DIRECTIONS.index(direction)


def id_name(action: int) -> tuple[str, str]:
    """Trump and direction of a naming id 83-97."""
    if not FIRST_NAME <= action < ACTIONS:
        raise ValueError(f"{action} is not a naming")
    return TRUMPS[(action - FIRST_NAME) // 3], DIRECTIONS[(action - FIRST_NAME) % 3]
