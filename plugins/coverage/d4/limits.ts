/** Limits on the memory and work that a file may cause. Real files stay far below all of them. */

/** Bytes of one JSON header or one directory: a reference with 100,000 contigs needs about 6 MB. */
export const maxHeaderBytes = 16 * 2 ** 20;

/** Directories inside directories; files of d4tools have three levels. */
export const maxDirectoryDepth = 8;

/** Tracks in one file. */
export const maxTracks = 10_000;

/** Inflated bytes of one deflate frame; the reference implementation writes 64 KiB. */
export const maxInflatedBytes = 16 * 2 ** 20;

/** Deflate compresses at most about 1032:1, so a frame that claims more is broken. */
export const maxInflateRatio = 1032;

/** Bits per code. */
export const maxWidth = 16;

/** Longest chromosome: positions are unsigned 32-bit integers, and records use 0 as padding. */
export const maxChromosomeSize = 2 ** 32 - 2;

/** Bases of all chromosomes together. The largest genome known, a fern's, has 160 billion. */
export const maxGenomeBases = 2 ** 38;

/** Frames that are followed when a file is opened, about two seconds of small reads. */
export const maxFollowedFrames = 2 ** 20;
