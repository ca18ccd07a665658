/** Receivers that hang, refuse, redirect, lie or send megabytes: one bounded attempt, a cause of our own words, nothing of their answer. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpReceivers } from '#adapters/http-receivers.ts';
import type { SentMessage } from '#functions/ports.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const key = Buffer.alloc(32, 7);
const message = (more: Partial<SentMessage> = {}): SentMessage => ({
  url: `https://${receiver.host}/hook?team=shop`,
  id: '12-0',
  sentAt: '2026-06-01T12:00:00.900Z',
  message: { contentType: 'application/json', body: '{"a":"ä"}' },
  ...more,
});
const send = (more: Partial<SentMessage> = {}, timeoutMs = 5_000) =>
  new HttpReceivers({ privateHosts: [receiver.host], timeoutMs }).send(message(more));

describe('a receiver', () => {
  it('a signed message has the headers of Standard Webhooks, and its signature is of the bytes that were sent', async () => {
    expect(await send({ signingKey: `whsec_${key.toString('base64')}` })).toEqual({ accepted: true });
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': '12-0',
      'webhook-timestamp': String(Date.parse('2026-06-01T12:00:00Z') / 1000),
    });
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  });

  it('the signature is that of the example of Standard Webhooks', async () => {
    await send({
      signingKey: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      sentAt: new Date(1614265330_000).toISOString(),
      message: { contentType: 'application/json', body: '{"test": 2432232314}' },
    });
    expect(receiver.received[0]?.headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('a message without a key is not signed', async () => {
    await send();
    expect(Object.keys(receiver.received[0]?.headers ?? {}).filter((name) => name.startsWith('webhook'))).toEqual([]);
  });

  it.each([
    [200, { accepted: true }],
    [204, { accepted: true }],
    [302, { accepted: false, cause: 'redirect', status: 302 }],
    [401, { accepted: false, cause: 'refused', status: 401 }],
    [410, { accepted: false, cause: 'refused', status: 410 }],
    [429, { accepted: false, cause: 'refused', status: 429 }],
    [500, { accepted: false, cause: 'server-error', status: 500 }],
    [503, { accepted: false, cause: 'server-error', status: 503 }],
  ])('an answer with status %i is %j', async (code, outcome) => {
    receiver.answer(status(code, { location: 'https://169.254.169.254/latest/meta-data' }));
    expect(await send()).toEqual(outcome);
    expect(receiver.received).toHaveLength(1);
  });

  it('a receiver that hangs costs the time that is set, and no more', async () => {
    receiver.answer(() => {});
    expect(await send({}, 100)).toEqual({ accepted: false, cause: 'timeout' });
  });

  it('a receiver that sends its answer for ever is left', async () => {
    receiver.answer((response) => {
      const more = () => response.write('.'.repeat(100)) && setImmediate(more);
      response.writeHead(200);
      more();
    });
    expect(await send({}, 300)).toMatchObject({ accepted: false });
  });

  it('a receiver that answers with megabytes is left after some of them', async () => {
    receiver.answer((response) => response.writeHead(200).end(Buffer.alloc(5_000_000)));
    expect(await send()).toEqual({ accepted: false, cause: 'answer-too-large' });
  });

  it('a port without a server and a server without TLS are not reached', async () => {
    const plain = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const port = Object(plain.address()).port;
    const hosts = [`127.0.0.1:${port}`];
    const sender = new HttpReceivers({ privateHosts: ['127.0.0.1:1', ...hosts], timeoutMs: 5_000 });
    expect(await sender.send(message({ url: 'https://127.0.0.1:1/' }))).toEqual({
      accepted: false,
      cause: 'not-reached',
    });
    expect(await sender.send(message({ url: `https://${hosts[0]}/` }))).toEqual({
      accepted: false,
      cause: 'not-reached',
    });
    expect(await sender.send(message({ url: `http://${hosts[0]}/` }))).toEqual({
      accepted: false,
      cause: 'not-reached',
    });
    plain.close();
  });
});

it.each([
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '[::1]', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '0x7f.1'],
  ...['2130706433', 'localhost', '192.168.1.1', '100.64.0.1', '[64:ff9b::a9fe:a9fe]'],
])('nothing is sent to %s, which is not an address of the public internet', async (host) => {
  const sender = new HttpReceivers({ privateHosts: [], timeoutMs: 2_000 });
  const { port } = new URL(`https://${receiver.host}`);
  expect(await sender.send(message({ url: `https://${host}:${port}/hook` }))).toEqual({
    accepted: false,
    cause: 'private-address',
  });
  expect(receiver.received).toEqual([]);
});
