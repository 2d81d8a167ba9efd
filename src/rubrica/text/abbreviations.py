"""English abbreviations that keep their full stop and do not end a sentence."""

from __future__ import annotations

TITLES = (
    "Adm. Capt. Col. Dr. Gen. Gov. Hon. Lt. Maj. Messrs. Mr. Mrs. Ms. Prof. Rep. Rev. Sen. Sgt."
)
FIRMS = "Bros. Co. Corp. Inc. Jr. Ltd. Mt. Ph.D. Sr. St. co."
MONTHS = "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec."
STATES = (
    "Ak. Ala. Ariz. Ark. Calif. Colo. Conn. D.C. Del. Fla. Ga. Ia. Id. Ill. Ind. Kan. Kans. Ky. La. "
    "Mass. Md. Mich. Minn. Miss. Mo. Mont. N.C. N.D. N.H. N.J. N.M. N.Y. Neb. Nebr. Nev. Okla. Ore. "
    "Pa. S.C. Tenn. Va. Wash. Wis."
)
LATIN = "E.G. E.g. I.E. I.e. a.m. e.g. i.e. p.m. v.s. vs."

ABBREVIATIONS = frozenset(" ".join([TITLES, FIRMS, MONTHS, STATES, LATIN]).split())
