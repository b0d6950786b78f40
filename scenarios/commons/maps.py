"""The maps: letters as in ``grid/commons/game.py``.

Size, number of trees and number of apples of the large one are the published ones; where the trees
stand is ours, so that no two of them are within two cells of each other.
"""

from __future__ import annotations

#: 18 rows and 24 columns, six trees with 64 apples: four of 13, two of 6.
SIX_TREES = """
########################
#....A............A....#
#...AAA..........AAA...#
#..AAAAA...AAA..AAAAA..#
#...AAA....AAA...AAA...#
#....A............A....#
#......................#
#..A................A..#
#.AAA..............AAA.#
#AAAAA.....AAA....AAAAA#
#.AAA......AAA.....AAA.#
#..A................A..#
#......................#
#......................#
#.@@@@@@@@@@@@@@@@@@@@.#
#.@@@@@@@@@@@@@@@@@@@@.#
#.@@@@@@@@@@@@@@@@@@@@.#
########################
"""

#: A closed room with one tree of 13 apples.
ONE_TREE = """
###########
#@.......@#
#.........#
#....A....#
#...AAA...#
#..AAAAA..#
#...AAA...#
#....A....#
#.........#
#@.......@#
###########
"""
