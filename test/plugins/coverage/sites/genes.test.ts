/** Which genes of a report its known sites belong to, compared with a look at every gene for every site. */
import { expect } from 'chai';
import fc from 'fast-check';
import { bySite, type FoundSite, type Gene, type SiteSet } from '../../../../plugins/coverage/contract.js';
import { sitesOfGenes } from '../../../../plugins/coverage/sites/report-sites.js';

const build = 'GRCh38' as const;
const chromosome = fc.constantFrom('1' as const, '2' as const, 'MT' as const);
const symbol = fc.constantFrom('A', 'B', 'C', 'D');

/** Some share their extent or their symbol; some have no symbol. */
const gene = fc
  .record({ chromosome, start: fc.nat(60), length: fc.integer({ min: 1, max: 40 }), name: fc.option(symbol) })
  .map(({ chromosome, start, length, name }) => ({ chromosome, start, end: start + length, name }));
const genes = fc
  .array(gene, { maxLength: 12 })
  .map((list) =>
    list.map(({ name, ...place }, i): Gene => ({ ensembl: `ENSG${i}`, ...place, ...(name && { symbol: name }) })),
  );
const site = fc
  .record({
    chromosome,
    start: fc.nat(110),
    length: fc.integer({ min: 1, max: 30 }),
    genes: fc.uniqueArray(symbol, { maxLength: 3 }),
  })
  .map(({ chromosome, start, length, genes }): FoundSite => {
    return { set: 'ClinVar', chromosome, start, end: start + length, reference: 'A', alternate: 'C', genes };
  });

const set: SiteSet = {
  ...{ name: 'ClinVar', build, release: '2026-11', source: 'clinvar.vcf.gz', checksum: 'c', skipped: {} },
  ...{ loaded: new Date(0), sites: 1 },
};

describe('known sites of genes', () => {
  it('belong to the genes that they are in and then to those that they name, each once', async () => {
    await fc.assert(
      fc.asyncProperty(genes, fc.array(site, { maxLength: 20 }), async (asked, unordered) => {
        const sites = unordered.sort(bySite);
        const { signal } = new AbortController();
        const found = await sitesOfGenes({ find: async () => ({ sets: [set], sites }) }, build, asked, signal);
        expect(found?.sites.map(({ site }) => site)).to.deep.equal(sites);
        for (const { site, of, region } of found?.sites ?? []) {
          const isWithin = (one: Gene) =>
            one.chromosome === site.chromosome && one.start < site.end && one.end > site.start;
          const within = asked.filter(isWithin);
          const named = asked.filter((one) => !isWithin(one) && site.genes.some((name) => name === one.symbol));
          expect(of.slice(0, within.length)).to.have.members(within);
          expect(of.slice(within.length)).to.deep.equal(named);
          // MT of GRCh38 has 16,569 bases: no site here reaches an end but the first base.
          expect(region).to.deep.equal({
            chromosome: site.chromosome,
            start: site.start === 0 ? 0 : site.start - 1,
            end: site.end + 1,
          });
        }
      }),
      { numRuns: 500 },
    );
  });
});
