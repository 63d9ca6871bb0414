"""A log whose truth is elsewhere: a journal that several machines share, and a copy to read."""
