import { expect } from 'chai';
import fc from 'fast-check';
import { attachment, fileName, type NamedFile } from '../../../../plugins/coverage/report/formats/format.js';

const file: NamedFile = {
  ...{ kind: 'coverage-report', samples: ['S1'], made: new Date('2026-04-23T22:30:00Z'), extension: 'pdf' },
  request: { build: 'GRCh38', level: 20 },
};

describe('coverage pages: names of downloads', () => {
  it('contain case or samples, panel, build, depth and day', () => {
    const named = (more: Partial<NamedFile['request']>, samples = ['S1'], table?: string) =>
      fileName({ ...file, samples, table, request: { ...file.request, ...more } });
    expect(named({})).to.equal('coverage-report_S1_GRCh38_20x_2026-04-23.pdf');
    expect(named({ caseName: 'Case 7', panel: 'Cardio (v2.1)' }, ['S1'], 'gaps')).to.equal(
      'coverage-report_Case-7_Cardio-v2.1_gaps_GRCh38_20x_2026-04-23.pdf',
    );
    expect(named({}, ['a', 'b', 'c'])).to.equal('coverage-report_a-b-c_GRCh38_20x_2026-04-23.pdf');
    expect(named({}, ['a', 'b', 'c', 'd', 'e'])).to.equal('coverage-report_a-b-c-+2_GRCh38_20x_2026-04-23.pdf');
    expect(named({ caseName: '../../etc/passwd', panel: 'a"b;c\\d' })).to.equal(
      'coverage-report_etc-passwd_a-b-c-d_GRCh38_20x_2026-04-23.pdf',
    );
    expect(named({ caseName: '...', panel: '\u202Efdp' })).to.equal('coverage-report_fdp_GRCh38_20x_2026-04-23.pdf');
  });

  it('are ASCII in the header, and complete for clients that support RFC 6266', () => {
    expect(attachment('a_b.pdf')).to.equal('attachment; filename="a_b.pdf"');
    expect(attachment('Ärende-7_hjärta.pdf')).to.equal(
      `attachment; filename="Arende-7_hjarta.pdf"; filename*=UTF-8''%C3%84rende-7_hj%C3%A4rta.pdf`,
    );
    expect(attachment('report_病例_GRCh38.pdf')).to.equal(
      `attachment; filename="report_GRCh38.pdf"; filename*=UTF-8''report_%E7%97%85%E4%BE%8B_GRCh38.pdf`,
    );
  });

  it('are valid headers and file names, whatever the names of case and panel', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ minLength: 1, maxLength: 1 }),
        fc.constantFrom('é', '😀', '\ud800', '\r', '\n', '"', '/', '\\', '\u202E'),
      ),
    });
    fc.assert(
      fc.property(text, text, fc.array(text, { minLength: 1, maxLength: 5 }), (caseName, panel, samples) => {
        const name = fileName({ ...file, samples, request: { ...file.request, caseName, panel } });
        expect(name).to.match(/^[^/\\"<>:|?*\p{Cc}\p{Cf}\p{Cs}\s]+\.pdf$/u);
        expect(name.length).to.be.lessThan(250);
        // RFC 6266 (quoted) and RFC 8187 (the characters of value-chars).
        expect(attachment(name)).to.match(
          /^attachment; filename="[A-Za-z0-9._+-]+"(; filename\*=UTF-8''(%[0-9A-F]{2}|[A-Za-z0-9!#$&+.^_`|~-])+)?$/,
        );
      }),
    );
  });
});
