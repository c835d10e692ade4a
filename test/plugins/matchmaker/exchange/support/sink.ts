/** A mail server on loopback that keeps accepted mails. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface TakenMail {
  to: string[];
  /** As sent: headers and body. */
  text: string;
}

/** The text that a reader sees, with quoted-printable decoded. */
export const read = ({ text }: Pick<TakenMail, 'text'>): string =>
  text
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());

export interface Sink {
  port: number;
  mails: TakenMail[];
  /** Connections so far. */
  connections: number;
  /** Called at each connection, before the greeting; the server greets once it resolves. */
  onConnect: (() => Promise<void>) | undefined;
  /** Refuses recipients that match. */
  refuses: RegExp | undefined;
  close(): Promise<void>;
}

/** On any free port if omitted. */
export async function serveSink(port = 0): Promise<Sink> {
  const sink: Sink = {
    port: 0,
    mails: [],
    connections: 0,
    onConnect: undefined,
    refuses: undefined,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onConnect(_session, greet) {
      sink.connections += 1;
      (sink.onConnect?.() ?? Promise.resolve()).then(() => greet());
    },
    onRcptTo({ address }, _session, done) {
      done(sink.refuses?.test(address) ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null);
    },
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        text += chunk;
      });
      stream.on('end', () => {
        sink.mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  // These tests kill clients in the middle of a session.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  sink.port = (server.server.address() as AddressInfo).port;
  return sink;
}
