"""Published tables of evaluation papers as recipes: read, recomputed and compared cell by cell."""

from rubrica.reproductions.recipe import Recipe, load_recipe, load_recipes, recipe_names
from rubrica.reproductions.results import Cell, Reproduction, Verdict
from rubrica.reproductions.run import run_recipe

__all__ = [
    "Cell",
    "Recipe",
    "Reproduction",
    "Verdict",
    "load_recipe",
    "load_recipes",
    "recipe_names",
    "run_recipe",
]
