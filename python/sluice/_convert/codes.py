"""Numbers and names shared by rewritten code and its runtime."""

NORMAL, BREAK, CONTINUE, RETURN = 0, 1, 2, 3  # how a block ended

RUNTIME = "__sl__"  # the runtime, in the closure of converted functions
RESULT = "__sl_ret"  # the variable that holds a returned value
SIGNAL = "__sl_sig"  # how the block before ended
ERROR = "__sl_error"  # an error to be replaced by another
ITEM = "__sl_item"  # the argument of a for loop's body
THUNK = "__sl_thunk"  # the mark of an expression that became a function
