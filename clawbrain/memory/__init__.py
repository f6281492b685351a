"""A memory and its text: what a memory is, how its file is read and written, and edits that touch only their own lines.

    model           Memory, its name, id, path and dates, and the rules for what a caller may store
    text            the bytes of a file -> Memory, and back; edits of a file
    header          the header between two lines of '---': taken off, read and written
    strict_handler  a header that a person wrote, as YAML; edits in it
    markdown        the body: sections, bullets, lines outside code
    links           links between memories in headers, and the paths along them
    wikilinks       links in texts: `[[name]]`
    kinds           what a compaction may do with memories of a kind

Pure: no clock, no disk.
"""
