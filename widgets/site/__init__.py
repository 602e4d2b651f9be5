"""A dashboard without a server: Python itself runs in the reader's browser, and re-trains there.

    lab.mjs (page)  ──> worker.mjs ──> Pyodide: desk.Desk ──> Session of widgets.kit ──> recprivlib
    dash.mjs (page) <── messages <── wire.PageWire <──────────────┘

`pages` writes each dashboard's page with a first picture in it when the site is built; nothing here knows Panel.
"""
