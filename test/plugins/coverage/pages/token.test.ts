import { expect } from 'chai';
import { pageNames } from '../../../../plugins/coverage/report/form/request.js';
import { encoded } from '../../../support/http.js';
import { useTokens } from '../support/serve.js';
import { demoForm, post } from './support/post.js';

describe('coverage pages: with a token', () => {
  const { provider, server } = useTokens({ demo: true });

  it('keeps a token from the form in a cookie for the page’s buttons, and out of pages and exports', async () => {
    const token = await provider().token();
    for (const fields of [demoForm, { ...demoForm, build: 'hg19' }, { ...demoForm, format: 'json' }]) {
      const { text, headers } = await post(`${server().url}/report`, { ...fields, access_token: token });
      expect(text).not.to.include(token);
      expect(headers.get('set-cookie')).to.match(/^access_token=[\w.-]+; HttpOnly; SameSite=Strict; Path=\/; Secure$/);
    }
    expect(server().log()).not.to.include(token);

    const cookie = { cookie: `access_token=${token}` };
    const again = await post(`${server().url}/overview`, demoForm, cookie);
    expect(again.status).to.equal(200);
    expect(again.headers.get('set-cookie')).to.equal(null);
  });

  it('keeps no invalid token, even if a valid cookie authorised the request', async () => {
    const [token, expired] = [await provider().token(), await provider().token({ expires: -60 })];
    const answer = await post(
      `${server().url}/report`,
      { ...demoForm, access_token: expired },
      { cookie: `access_token=${token}` },
    );
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('set-cookie')).to.equal(null);
  });

  it('requires one on pages, and none on those of the demo', async () => {
    for (const page of pageNames) {
      const refused = await fetch(`${server().url}/${page}`, { method: 'POST', body: encoded(demoForm) });
      expect(refused.status).to.equal(401);
      expect(await refused.json()).to.have.property('detail');
      const inBrowser = await post(`${server().url}/${page}`, { ...demoForm, access_token: 'a.b.c' });
      expect(inBrowser.status).to.equal(401);
      expect(inBrowser.headers.get('www-authenticate')).to.match(/^Bearer/);
      expect(inBrowser.text)
        .to.match(/^<!doctype html>/)
        .and.include('A valid access token is required');
      expect(inBrowser.text).not.to.include('a.b.c').and.not.to.include('demo_child');
      expect((await fetch(`${server().url}/${page}/demo`)).status).to.equal(200);
    }
  });
});
