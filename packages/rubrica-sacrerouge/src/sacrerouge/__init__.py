"""`sacrerouge` on Rubrica: importing this package gives `rubrica.compat.sacrerouge`."""

from rubrica.compat.sacrerouge import install

install()
