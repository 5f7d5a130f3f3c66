/* Where steps of undo begin. */
#include "app/session/session_parts.h"

void session_end_drag(Session *session) {
    session->last_verb[0] = '\0';
}

void session_forget_steps(Session *session) {
    history_clear(&session->undo);
    history_clear(&session->redo);
    session->last_verb[0] = '\0';
}
