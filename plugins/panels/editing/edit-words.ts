/** What an edit changed, in words for the history: the content of a draft before it is not kept. */
import { basesWords, type PanelContent } from '../domain/content.js';
import { differences, type GeneDifference } from '../domain/differences.js';

/** Names of one kind that are listed. */
const most = 20;

/** Empty if nothing changed that people edit. */
export function editWords(before: PanelContent, after: PanelContent): string {
  const found = differences(before, after);
  const symbols = (what: GeneDifference['what'][number]) =>
    found.filter((gene) => gene.what.includes(what)).map(({ symbol }) => symbol);
  const moved = found.flatMap(({ symbol, before, after }) =>
    before && after && before.confidence !== after.confidence
      ? `${symbol} ${before.confidence} → ${after.confidence}`
      : [],
  );
  const renamed = found.flatMap(({ before, after }) =>
    before && after && before.symbol !== after.symbol ? `${before.symbol} → ${after.symbol}` : [],
  );
  const others = found.flatMap(({ symbol, changed }) => {
    const names = changed.filter((name) => name !== 'confidence');
    return names.length === 0 ? [] : `${symbol} (${names.join(', ')})`;
  });
  const [had, has] = [entriesOf(before), entriesOf(after)];
  return [
    listed('added', symbols('added')),
    listed('removed', symbols('removed')),
    listed('confidence', moved),
    listed('renamed', renamed),
    listed('changed', others),
    listed('added without a gene', minus(has, had)),
    listed('no longer without a gene', minus(had, has)),
    ...membersThatDiffer(before, after),
  ]
    .filter(Boolean)
    .join('; ');
}

function listed(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${what} ${names.slice(0, most).join(', ')}${more}`;
}

function membersThatDiffer(before: PanelContent, after: PanelContent): string[] {
  const differ = (name: 'description' | 'disorders' | 'others') =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return [
    before.name === after.name ? '' : `name: ${after.name}`,
    differ('description') ? 'description' : '',
    differ('disorders') ? 'disorders' : '',
    JSON.stringify(before.requirement) === JSON.stringify(after.requirement) ? '' : requirementWords(after),
    differ('others') ? 'regions and short tandem repeats' : '',
  ];
}

function requirementWords({ requirement }: PanelContent): string {
  if (requirement === undefined) return 'nothing is required any more';
  const { percent, depth, bases } = requirement;
  return `required: ${percent} % of ${basesWords(bases)} at ${depth}×`;
}

export function entriesOf({ unmapped = [] }: PanelContent): string[] {
  return unmapped.map(({ given }) => given);
}

/** The elements of one list that the other does not have, each as often as it has more of them. */
export function minus(these: readonly string[], those: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of those) left.set(one, (left.get(one) ?? 0) + 1);
  return these.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}
