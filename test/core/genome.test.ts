import { expect } from 'chai';
import { assemblies, contigs, lengthOf } from '../../core/genome.js';
import { sizeIn } from '../../plugins/coverage/d4/verify/contigs.js';

describe('lengths of chromosomes', () => {
  it('are those of the D4 library, which has a table of its own because it depends on nothing around it', () => {
    for (const assembly of assemblies) {
      for (const contig of contigs) expect(lengthOf(assembly, contig), contig).to.equal(sizeIn(assembly, contig));
    }
  });
});
