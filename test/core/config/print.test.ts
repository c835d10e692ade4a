import { expect } from 'chai';
import { Layer, redactedLayer, withoutUserInfo } from '../../../core/config/layer.js';
import { editDistance, nearest } from '../../../core/config/suggest.js';

describe('configuration: printing', () => {
  it('masks passwords, tokens and keys by name, with everything below them', () => {
    const layer = new Layer({
      storage: { password: 'p1', host: 'h', poolSecret: { a: 'p2', list: ['p3'] } },
      plugins: { x: { apiKey: 'p4', api_token: 'p5', privateKeys: 'p6', keyboard: 'shown', passphrase: 12 } },
    });
    const text = JSON.stringify(redactedLayer(layer));
    expect(text).to.not.match(/p[1-6]|12/);
    expect(text).to.include('"host":"h"').and.include('"keyboard":"shown"');
  });

  it('masks values from a secret file, whatever their name', () => {
    const layer = new Layer({ plugins: { x: { salt: 'p1', plain: 'shown' } } });
    layer.set(['plugins', 'x', 'salt'], 'p1', { source: 'lab.yaml:1:1', secret: true });
    expect(redactedLayer(layer)).to.deep.equal({ plugins: { x: { salt: '********', plain: 'shown' } } });
  });

  it('masks passwords inside URLs', () => {
    expect(withoutUserInfo('postgres://me:s3cret@db:5432/x')).to.equal('postgres://me:********@db:5432/x');
    expect(withoutUserInfo('postgres://db/x?user=me&password=s3cret&ssl=1')).to.equal(
      'postgres://db/x?user=me&password=********&ssl=1',
    );
    expect(withoutUserInfo('https://example.org/a:b@c')).to.equal('https://example.org/a:b@c');
    expect(withoutUserInfo('postgres://me:p@ss@db/x')).to.equal('postgres://me:********@db/x');
  });
});

describe('configuration: suggestions', () => {
  it('count insertions, deletions, replacements and transpositions', () => {
    expect(editDistance('', 'abc')).to.equal(3);
    expect(editDistance('abc', 'abc')).to.equal(0);
    expect(editDistance('prot', 'port')).to.equal(1);
    expect(editDistance('kitten', 'sitting')).to.equal(3);
  });

  it('offer close names only', () => {
    expect(nearest('becon', ['beacon', 'coverage'])).to.equal('beacon');
    expect(nearest('Beacon', ['beacon'])).to.equal('beacon');
    expect(nearest('xyz', ['beacon', 'coverage'])).to.equal(undefined);
    expect(nearest('x', [])).to.equal(undefined);
  });
});
