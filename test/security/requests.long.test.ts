/** Requests made to break something: each gets its documented refusal, and what is stored stays as it is. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { aManifest } from '#test/api/documents.ts';
import { platformUnderAttack } from './platform-under-attack.ts';
import { rawRequest, sendRaw } from './raw-request.ts';

const attack = platformUnderAttack();
const shop = '/v1/manifests/team/shop';
const grown = JSON.stringify(aManifest({ compute: 5 }));

/** With the right token. */
const raw = (method: string, target: string, more: { headers?: Record<string, string>; body?: string } = {}) => {
  const headers = {
    authorization: `Bearer ${attack.platform.token}`,
    'content-type': 'application/json',
    ...more.headers,
  };
  return sendRaw(attack.platform.apiUrl, rawRequest(method, target, { ...more, headers }));
};

describe('tricks in paths', () => {
  const paths = [
    '/v1/manifests/team/..%2f..%2f..%2fetc%2fpasswd',
    '/v1/manifests/team/%2e%2e%2f%2e%2e',
    '/v1/manifests/team/%252e%252e',
    '/v1/manifests/team/..%5c..%5cshop',
    '/v1/manifests/team/shop%00',
    '/v1/manifests/team/shop%00.json',
    '/v1/manifests/team/%c0%ae%c0%ae',
    '/v1/manifests/team/%ff%fe',
    '/v1/manifests/team/%',
    '/v1/manifests/team/%EF%BD%93hop',
    '/v1/manifests/team/sho%CC%88p',
    '/v1/manifests/team/SHOP',
    '/v1/manifests/team/shop%0d%0aset-cookie:%20a=b',
    '/v1/manifests/team%2fshop/shop',
    '/v1/manifests/team%23/shop',
    '/v1/manifests/tea*/shop',
    '/v1/manifests/__proto__/constructor',
    `/v1/manifests/team/${'a'.repeat(64)}`,
    '/v1/secrets/team/..%2f..%2fuser%2fother%2fsecret',
    '/v1/templates/team/..%2fx',
  ];
  for (const path of paths) {
    it(`${path.slice(0, 60)} is refused with 400 by every method`, async () => {
      for (const method of path.includes('/secrets/') ? ['PUT', 'DELETE'] : ['GET', 'PUT', 'DELETE']) {
        const answer = await raw(method, path, method === 'PUT' ? { body: grown } : {});
        expect([method, answer.status]).toEqual([method, 400]);
        expect(answer.head).not.toMatch(/^set-cookie/im);
        expect(JSON.parse(answer.body)).toMatchObject({ code: 'InvalidInput' });
      }
      await attack.unchanged();
    });
  }

  it.each([
    ['//', 404],
    ['//team', 404],
    ['//127.0.0.1/v1/health', 404],
    ['http://[/v1/health', 400],
    ['http://a b/', 400],
    ['*', 404],
  ])('a request for the target %s is no fault of ours', async (target, status) => {
    expect((await raw('GET', target)).status).toBe(status);
  });

  const elsewhere = [
    '/v1/manifests/team/shop/../../../x',
    '//v1/manifests',
    '/v1//manifests',
    '/V1/manifests',
    '/v1/manifests/team/shop/',
  ];
  for (const path of elsewhere) {
    it(`${path} leads to no route`, async () => {
      expect((await raw('DELETE', path)).status).toBeOneOf([404, 405]);
      await attack.unchanged();
    });
  }

  it('a target that names another host is still this one', async () => {
    const answer = await raw('DELETE', 'http://169.254.169.254/v1/nonsense');
    expect(answer.status).toBe(404);
    await attack.unchanged();
  });
});

describe('bodies', () => {
  it('a body over the limit is refused with 413, announced or not', async () => {
    const large = new Uint8Array(7 * 1024 * 1024).fill(32);
    expect((await attack.call('PUT', shop, { body: large })).status).toBe(413);
    const chunked = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 7; n += 1) controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
        controller.close();
      },
    });
    const { apiUrl, token } = attack.platform;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const streamed = await fetch(`${apiUrl}${shop}`, {
      method: 'PUT',
      headers,
      body: chunked,
      duplex: 'half',
    } as RequestInit).then(
      ({ status }) => status,
      () => 0,
    );
    // A client that continues to send after the answer may see the connection end before it.
    expect(streamed).toBeOneOf([413, 0]);
    await attack.unchanged();
  });

  it('a body that is announced as huge is refused before it arrives', async () => {
    const answer = await raw('PUT', shop, { headers: { 'content-length': '99999999999' } });
    expect(answer.status).toBe(413);
  });

  it('a body is never unpacked: a gzip bomb is bytes that are no document', async () => {
    const bomb = gzipSync(new Uint8Array(200 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(1_000_000);
    const before = process.memoryUsage().rss;
    for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip']) {
      const answer = await attack.call('PUT', shop, { body: bomb, headers: { 'content-encoding': encoding } });
      expect([encoding, answer.status]).toEqual([encoding, 400]);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    await attack.unchanged();
  });

  it('a body with two lengths, or length and chunks, never becomes two requests', async () => {
    const { token } = attack.platform;
    const second = `DELETE ${shop} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`;
    const head = `PUT ${shop} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n`;
    const smuggled = [
      `${head}content-length: 0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${second}`,
      `${head}content-length: 0\r\ncontent-length: ${second.length}\r\n\r\n${second}`,
      `${head}transfer-encoding: xchunked\r\n\r\n${second}`,
    ];
    for (const bytes of smuggled) expect((await sendRaw(attack.platform.apiUrl, bytes)).status).toBe(400);
    await attack.unchanged();
  });

  it('a body that never arrives delays no one else, and changes nothing', async () => {
    const { apiUrl, token } = attack.platform;
    const { hostname, port } = new URL(apiUrl);
    const head = `PUT ${shop} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-length: ${grown.length}\r\n\r\n`;
    const slow = Array.from({ length: 100 }, () => connect(Number(port), hostname));
    for (const socket of slow) {
      socket.on('error', () => {});
      socket.write(head + grown.slice(0, 20));
    }
    await pause(50);
    expect((await attack.call('GET', shop)).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await attack.unchanged();
  });
});

describe('headers and queries', () => {
  it('a line break in a header makes no header of the answer', async () => {
    const { token } = attack.platform;
    for (const value of ['"g1-a1"\r\n x-made-up: 1', '"g1-a1"\nx-made-up: 1', '"g1-a1"\u0000']) {
      const bytes = `PUT ${shop} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nconnection: close\r\nif-match: ${value}\r\ncontent-length: 0\r\n\r\n`;
      const answer = await sendRaw(attack.platform.apiUrl, bytes);
      expect(answer.status).toBeOneOf([400, 412]);
      expect(answer.head).not.toMatch(/^x-made-up/im);
    }
    await attack.unchanged();
  });

  it('a query is read up to the limit of a header, never beyond', async () => {
    expect((await attack.call('GET', `/v1/manifests?next=${'a'.repeat(8_000)}`)).status).toBe(400);
    expect((await raw('GET', `/v1/manifests?next=${'a'.repeat(100_000)}`)).status).toBe(431);
    expect((await attack.call('GET', `/v1/manifests?${'limit=1&'.repeat(1_000)}`)).status).toBe(400);
    for (const query of ['limit[]=1&limit[$gt]=', '__proto__[limit]=1', 'limit=1e3', 'limit=0x10', 'limit=%00'])
      expect((await attack.call('GET', `/v1/manifests?${query}`)).status).toBeOneOf([200, 400]);
  });

  it('a forged cursor is refused', async () => {
    const made = Buffer.from(JSON.stringify({ pk: 'MANIFESTS', sk: 'other#secret' })).toString('base64url');
    for (const next of [made, '{}', "' OR 1=1", 'null', '%7B%22pk%22%3A1%7D'])
      expect(
        (await attack.call('GET', `/v1/manifests/team/shop/events?next=${encodeURIComponent(next)}`)).status,
      ).toBeOneOf([200, 400]);
    await attack.unchanged();
  });
});
