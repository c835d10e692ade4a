/** The tables of records. */

/** One row for each record. */
export const records = 'matchmaker_matches_records';
/** The ids of the patients that each record found. */
export const found = 'matchmaker_matches_found';
/** Found patients, each kept once for all records that found it in the same form on the same node. */
export const forms = 'matchmaker_matches_patients';
/** Numbers of forms of which a record was deleted: perhaps no other record has them. */
export const loose = 'matchmaker_matches_loose';

/**
 * The records of queries by clients, as literals, so that the partial index applies. Later records for the same query do not
 * count: they would keep it longer than its own retention time.
 */
export const ofOthers = "direction = 'incoming' and type = 'internal' and search is null";
