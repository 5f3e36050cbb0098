"""What programs for TensorFlow 1 are written with: a table, errors, sessions."""

from tf1_compare import error_name

PROCEDURES = {}


def program(function):
    """One more program, by its name."""
    assert function.__name__ not in PROCEDURES
    PROCEDURES[function.__name__] = function
    return function


def raised(tf, call):
    """The class of the error a call raises."""
    try:
        call()
    except Exception as error:
        return error_name(tf, error)
    return "nothing"


def started(tf):
    """A session whose variables have their initial values."""
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    return sess
