/** Where requests to other servers may lead: metadata services of clouds in no way at all, redirects by a rule. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { expect } from 'chai';
import {
  discoveredAddress,
  isConfigurable,
  metadataServices,
  namedAddress,
  redirectedAddress,
} from '../../../core/outgoing/reach.js';
import { s3Store } from '../../../core/outgoing/s3/settings.js';
import { connections, ForbiddenHost, fetchNamed, mayReach, send } from '../../../core/outgoing.js';
import { downloadGenes } from '../../../plugins/beacon/genes/files.js';
import { openHttp } from '../../../plugins/coverage/d4/source/http.js';
import { operatorReading } from '../../../plugins/coverage/measure/s3.js';
import { sendMail } from '../../../plugins/matchmaker/mail/outbox.js';
import { download } from '../../../plugins/matchmaker/resources/update.js';
import { mailSettings } from '../../../plugins/matchmaker/settings.js';
import { panelOfServer } from '../../../plugins/panels/import/panelapp-server.js';
import { faultOf } from '../../support/fault.js';

/** From the manuals of Amazon (also for containers), Azure, Alibaba, Google, Oracle, Tencent, Scaleway, OpenStack. */
const services = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.0.23',
  '169.254.42.42',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fe80::a9fe:a9fe',
  'fe80::a9fe:a9fe%eth0',
];

/** The ways in which an IPv6 address can lead to an IPv4 address. `h`: hexadecimal digits, two for each byte. */
function wrapped(address: string): string[] {
  const bytes = address.split('.').map(Number);
  const h = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const inverted = bytes.map((byte) => (255 - byte).toString(16).padStart(2, '0'));
  const [w1, w2] = [`${h[0]}${h[1]}`, `${h[2]}${h[3]}`];
  return [
    `::ffff:${address}`,
    `::ffff:${w1}:${w2}`,
    `0:0:0:0:0:FFFF:${w1}:${w2}`,
    `::${address}`,
    `::ffff:0:${w1}:${w2}`,
    `64:ff9b::${address}`,
    `64:ff9b::${w1}:${w2}`,
    `64:ff9b:1::${w1}:${w2}`,
    // RFC 6052, section 2.2: prefixes of 48, 56 and 64 bits, with an empty byte at the 64th.
    `64:ff9b:1:${w1}:00${h[2]}:${h[3]}00::`,
    `64:ff9b:1:aa${h[0]}:00${h[1]}:${w2}::`,
    `64:ff9b:1:aaaa:00${h[0]}:${h[1]}${h[2]}:${h[3]}00::`,
    `2002:${w1}:${w2}::1`,
    `2001:0:${w1}:${w2}:8000:63bf:3fff:fdd2`,
    `2001:0:4136:e378:8000:63bf:${inverted[0]}${inverted[1]}:${inverted[2]}${inverted[3]}`,
    `fd00::5efe:${w1}:${w2}`,
    `2600::200:5efe:${w1}:${w2}`,
  ];
}

/** The ways in which programs write an IPv4 address without being four decimal numbers. */
function odd(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (n: number) => `0${n.toString(8)}`;
  const hex = (n: number) => `0x${n.toString(16)}`;
  return [
    String(whole),
    hex(whole),
    octal(whole),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map(hex).join('.'),
    `${a}.${b * 65536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
  ];
}

describe('addresses of other servers', () => {
  it('of metadata services are out of every reach, however they are written', () => {
    for (const service of services) {
      for (const address of [service, ...(isIPv4(service) ? [...wrapped(service), ...odd(service)] : [])]) {
        for (const reach of ['public', 'private', 'any'] as const) {
          expect(mayReach(address, reach), `${address} ${reach}`).to.equal(false);
        }
      }
    }
    // Every entry of the table is a service that this test knows.
    for (const { of, address } of metadataServices) expect(mayReach(address, 'any'), of).to.equal(false);
  });

  it('beside them stay in reach', () => {
    for (const address of [
      '168.63.129.17',
      '100.100.100.201',
      '100.96.0.97',
      '192.0.1.192',
      'fd20:ce::255',
      'fd00:ec3::1',
    ]) {
      expect(mayReach(address, 'private'), address).to.equal(true);
    }
    for (const address of ['8.8.8.8', '64:ff9b::808:808', '2002:808:808::1', '::ffff:8.8.8.8', '2600::1']) {
      expect(mayReach(address, 'public'), address).to.equal(true);
    }
    // Of a translator within the hospital, which no one else can reach.
    expect(mayReach('64:ff9b:1::808:808', 'public')).to.equal(false);
    expect(mayReach('64:ff9b:1::808:808', 'private')).to.equal(true);
    for (const inside of ['10.0.0.1', '127.0.0.1', '192.168.1.1']) {
      for (const address of wrapped(inside)) expect(mayReach(address, 'public'), address).to.equal(false);
    }
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', 'fd12::1'])
      expect(mayReach(address, 'any'), address).to.equal(true);
  });

  it('that are metadata services are refused in the configuration', () => {
    for (const host of services.filter((one) => !one.includes('%')).map((one) => (isIPv4(one) ? one : `[${one}]`))) {
      expect(isConfigurable(`https://${host}/jwks`), host).to.equal(false);
      expect(s3Store.safeParse({ prefix: 's3://b/', endpoint: `https://${host}` }).success, host).to.equal(false);
    }
    for (const host of odd('169.254.169.254')) expect(isConfigurable(`https://${host}/`), host).to.equal(false);
  });

  it('that a server redirects to are on its own host, or on the internet', () => {
    const from = namedAddress('https://hospital.test/a');
    const to = (location: string, first = from) => redirectedAddress(location, first.url, first)?.reach;
    expect(to('/b')).to.equal('any');
    expect(to('https://hospital.test:8443/b')).to.equal('any');
    expect(to('https://elsewhere.test/b')).to.equal('public');
    expect(to('http://elsewhere.test/b', namedAddress('http://hospital.test/a'))).to.equal('public');
    const refused = [
      'http://elsewhere.test/b',
      'http://hospital.test/b',
      'file:///etc/passwd',
      'https://user:word@elsewhere.test/',
      'https://localhost/',
      'https://10.0.0.1/',
      'https://2852039166/',
      'https://[::ffff:a9fe:a9fe]/',
      'http://',
    ];
    for (const location of refused) expect(to(location), location).to.equal(undefined);
    expect(discoveredAddress('https://168.63.129.16/jwks', namedAddress('https://168.63.129.16/'))).to.equal(undefined);
  });
});

describe('requests to named servers', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  /** The port of a server. */
  async function listen(listener: RequestListener): Promise<number> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }
  const signal = () => new AbortController().signal;
  const reasonOf = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'no failure',
      (error: Error) => error.message,
    );

  /** Everything that reads a document of a server that an operator names. */
  const readers: Record<string, (url: string) => Promise<unknown>> = {
    'resources of the matchmaker': (url) => download(url, { timeout: 20, signal: signal() }),
    'panels of PanelApp': (url) =>
      panelOfServer({ url: `${url}/`, timeout: 20, signal: signal() }, { id: '1', signedOff: false }),
    'genes of Ensembl': (url) => downloadGenes({ url, timeout: 20, limit: 1000, signal: signal() }),
    'D4 files of commands': async (url) => {
      const reading = operatorReading();
      try {
        await openHttp(url, { ...reading.http, attempts: 1 });
      } catch (error) {
        throw (error as Error).cause ?? error;
      } finally {
        reading.close();
      }
    },
  };
  for (const [what, read] of Object.entries(readers)) {
    it(`for ${what} follow no redirect to a private address or a metadata service`, async () => {
      let asked = 0;
      const secret = await listen((_, response) => {
        asked++;
        response.end('secret');
      });
      let location = '';
      const first = await listen((_, response) => response.writeHead(302, { location }).end());
      for (location of [
        `http://localhost:${secret}/`,
        `http://[::1]:${secret}/`,
        'http://169.254.169.254/latest/meta-data/',
        'http://[fd20:ce::254]/computeMetadata/v1/',
        'http://2852039166/',
        '/again',
      ]) {
        expect(await reasonOf(read(`http://127.0.0.1:${first}/a`)), location).to.include('not allowed');
      }
      for (const host of ['168.63.129.16', '100.100.100.200', '[fd20:ce::254]', '0xA9FEA9FE']) {
        expect(await reasonOf(read(`http://${host}/a`)), host).to.include('not allowed');
      }
      expect(asked).to.equal(0);
    });
  }

  it('follow a redirect on their own host, and stop when it was read', async () => {
    const second = await listen((request, response) => response.end(`${request.url} ${request.headers['user-agent']}`));
    const first = await listen((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${second}/b?c=d` }).end('moved'),
    );
    expect(await (await fetchNamed(`http://127.0.0.1:${first}/a`)).text()).to.equal('/b?c=d trefoil');
  });

  it('lead to an address within reach even if the operator named it', async () => {
    const own = connections();
    for (const reach of ['public', 'private', 'any'] as const) {
      const error = await own.fetch(new URL('http://169.254.169.254/'), {}, reach).catch((cause: unknown) => cause);
      expect(error, reach).to.be.instanceOf(ForbiddenHost);
    }
    own.close();
    const fault = await faultOf(
      send({ method: 'GET', url: new URL('http://[fd00:ec2::254]/'), timeoutMs: 1000, maxBytes: 10 }),
      'unavailable',
    );
    expect(fault.message).to.equal('has an address that is not allowed');
  });

  it('for mails refuse a metadata service, and take every way to write its address', async () => {
    const mail = { id: '1', to: ['a@example.org'], subject: 's', text: 't', html: 'h' };
    for (const server of ['169.254.169.254', 'fd00:ec2::254', '2852039166', '0xa9fea9fe']) {
      const settings = mailSettings.parse({ server, port: 9, sender: 'mme@example.org' });
      expect(await reasonOf(sendMail(settings, mail)), server).to.equal(
        'The mail server has an address that is not allowed',
      );
    }
  });
});
