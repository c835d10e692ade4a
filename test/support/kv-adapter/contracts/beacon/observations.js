/** Who carries the alleles that one question asks for. */

import { defaultWindow, isAskedFor, isInsertion, Observed, widened, windowOf } from 'trefoil/beacon/contract';
import { candidates, uncalledBetween } from './places.js';

/** A query, for each side of a junction, that finds whatever may answer the question. */
function queriesOf(assembly, question, most) {
  const { contig, start, reference, alternate, end, mate } = question;
  if (question.type === 'sequence') {
    return [{ assembly, contig, start: { min: start, max: start }, reference, alternate }];
  }
  const window = windowOf(question, most);
  const near = (position) => ({ min: position - window, max: position + window });
  if (mate !== undefined) {
    return [
      { assembly, contig, start: near(start), mate },
      { assembly, contig: mate, start: near(end), mate: contig },
    ];
  }
  return [{ assembly, contig, start: near(start), ...(!isInsertion(question.kind) && { end: near(end) }) }];
}

export async function observe(space, { number, description }, samples, question, requested) {
  const { id, assembly, counting } = description;
  const most = counting?.window ?? defaultWindow;
  const order = new Map(samples.map((sample, i) => [sample.number, i]));
  const observed = new Observed(samples);
  for (const query of queriesOf(assembly, question, most)) {
    for await (const { allele, portions } of candidates(space, number, query)) {
      for (const { carriers, ...stated } of portions) {
        if (!isAskedFor(widened(allele, stated), question, assembly, most)) continue;
        for (const [sample, copies] of carriers) observed.add(order.get(sample), copies);
      }
    }
  }
  for (const { contig, start } of queriesOf(assembly, question, most)) {
    for await (const [, { allele, samples: uncalled }] of space.range(uncalledBetween(number, contig, start))) {
      if (!isAskedFor(allele, question, assembly, most)) continue;
      for (const sample of uncalled) observed.miss(order.get(sample));
    }
  }
  const { type, contig, start } = question;
  return { dataset: id, ...observed.result({ assembly, contig, start, type }, requested) };
}
