/** Lines as HGNC's files have them. Ids, symbols and former symbols are HGNC's; what some say of status is made up. */
export const approved = [
  'hgnc_id\tsymbol\tname\tlocus_group\tstatus\talias_symbol\tprev_symbol\tdate_modified',
  'HGNC:950\tBAP1\tBRCA1 associated deubiquitinase 1\tprotein-coding gene\tApproved\thucep-6|UCHL2\t\t2023-01-20',
  'HGNC:4982\tHMBS\thydroxymethylbilane synthase\tprotein-coding gene\tApproved\t\tPBGD|UPS\t2023-02-01',
  'HGNC:7132\tKMT2A\tlysine methyltransferase 2A\tprotein-coding gene\tApproved\tTRX1|HRX\t"MLL|MLL1"\t2024-10-29',
  'HGNC:8847\tPER3\tperiod circadian regulator 3\tprotein-coding gene\tApproved\tGIG13\t\t2023-01-20',
  'HGNC:24599\tC1orf112\tmade up for its case\tprotein-coding gene\tApproved\t\tMAGIC\t2020-01-01',
  'HGNC:11\tOTHER\tmade up: shares a former symbol\tnon-coding RNA\tApproved\tUCHL2\tMAGIC\t2020-01-01',
].join('\n');

export const withdrawn = [
  'HGNC_ID\tSTATUS\tWITHDRAWN_SYMBOL\tMERGED_INTO_REPORT(S) (i.e HGNC_ID|SYMBOL|STATUS)',
  'HGNC:1\tEntry Withdrawn\tA1S9T\t',
  'HGNC:2\tMerged/Split\tOLDBAP\tHGNC:950|BAP1|Approved',
  'HGNC:3\tMerged/Split\tSPLIT\tHGNC:950|BAP1|Approved, HGNC:8847|PER3|Approved',
  'HGNC:4\tMerged/Split\tCHAIN\tHGNC:2|OLDBAP|Merged/Split',
  'HGNC:5\tMerged/Split\tROUND\tHGNC:6|ROUND2|Merged/Split',
  'HGNC:6\tMerged/Split\tROUND2\tHGNC:5|ROUND|Merged/Split',
].join('\n');
