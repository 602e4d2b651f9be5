"""Wang, Yin, Chen, Nguyen, Huang & Zhang, "Fast-adapting and Privacy-preserving Federated Recommender System",
The VLDB Journal 2021.

Phones train a network that sees features alone, on their own history; the server averages what they have learnt
(PrivRec), after clipping and with noise (DP-PrivRec); a phone fine-tunes the average before it recommends.

    paper    here                  meaning
    M        cohort                phones that train in one round                  Algorithm 1, line 3
    E₁, E₂   rounds, local_epochs  of the server, of a phone
    α₁, α₃   learning_rate, server_rate                                            eqs. 4, 6
    μ        proximal              pull of a phone's weights to the server's       eq. 7
    z        noise_multiplier      noise over the sensitivity 2S/M                 Algorithm 2, line 8
    γ, h     unclipped_quantile, balance                                           eq. 9, line 10
    S, α₄    clip_init, clip_rate  the clipping bound and how fast it moves        eq. 9

Deviations:
  Eq. 2 lacks its minus sign. Eq. 7's norm is squared here, for its gradient is 0/0 at the first step. The loss of
  Algorithm 1, line 14, is taken at θ_τ (printed: θ₀). A local epoch is one batch, the mean over the history; four
  unseen items count as zeros for each that was met, in expectation (see phones.py); the paper names no such
  zeros and takes ratings of 1 to 3 for them (`labels` "stars"). Ages are in the seven brackets of ML-1M.
  Four hidden layers as in Section 4.1, after eq. 1's ReLU: with Section 4.1's sigmoid nothing is learnt (`activation`).
  A one is any item that was met, unless `labels` is "stars" (more than three, as in Section 3.2). A film's genres are
  averaged before its vector is made, where the paper has a vector for each category. Vectors have 16 numbers unless
  `size` is "paper" (64). privrec-cen steps by Adam; the paper names no optimiser for it.
  nn-self has all second derivatives unless `order` is 1, and its server steps by Adam. A phone
  fine-tunes with a gentler step than it trains with.
  Algorithm 2, lines 21 to 23, are read as after the local epochs. Line 23 asks whether the update is at most S after
  line 22 has clipped it to S; here it asks before (`order` "printed": after). Line 11's S can fall below zero; here it
  stays at 10⁻⁶ or more. With h = 0 line 10 divides by zero; here nothing is counted then, and S stays at S₀.
  γ is .5 unless set: with Section 4.3's .9 the bound and its noise end higher, and units of the network die.
  An update that is not finite counts as zero. The server sees raw updates and adds the noise: it is trusted.
"""

from recprivlib.papers.privrec.system import SYSTEMS

__all__ = ["SYSTEMS"]
