"""A memory and its text: what a memory is, how its file is read and written, and edits that touch only their own lines.

Pure: no clock, no disk.
"""
