/** The door of agents to the API of one machine, and the authority that they trust for it. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { describe, expect, test } from 'vitest';
import { type AgentsDoor, openAgentsDoor } from '#local/agents/agents-door.ts';
import { doorCertificate } from '#local/agents/authority.ts';

const address = '192.0.2.1';
const newDirectory = () => mkdtempSync(join(tmpdir(), 'kubeloom-door-'));
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

describe('the authority of agents', () => {
  test('one is made, and is the same at every later start', async () => {
    const directory = newDirectory();
    const made = await doorCertificate(directory, address);
    expect(await doorCertificate(directory, address)).toEqual(made);
    const certificate = new X509Certificate(made.certificate);
    expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.checkIssued(new X509Certificate(made.authority))).toBe(true);
  });

  test('the certificate is renewed more than a year before it ends, by the same authority, which lasts for decades', async () => {
    const directory = newDirectory();
    const made = await doorCertificate(directory, address);
    expect(await doorCertificate(directory, address, inDays(390))).toEqual(made);
    const renewed = await doorCertificate(directory, address, inDays(410));
    expect(renewed.certificate).not.toBe(made.certificate);
    expect(renewed.authority).toBe(made.authority);
    expect(new X509Certificate(made.authority).validToDate.getTime()).toBeGreaterThan(inDays(365 * 45).getTime());
  });

  test('no one else reads its keys', async () => {
    const directory = newDirectory();
    await doorCertificate(directory, address);
    for (const name of ['authority.key', 'door.key']) expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
  });

  test.each(['authority.pem', 'authority.key', 'door.pem', 'door.key'])('a damaged %s is replaced', async (name) => {
    const directory = newDirectory();
    await doorCertificate(directory, address);
    writeFileSync(join(directory, name), 'damaged');
    const { authority, certificate } = await doorCertificate(directory, address);
    expect(new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey)).toBe(true);
    expect(readFileSync(join(directory, name), 'utf8')).not.toBe('damaged');
  });
});

describe('the door of agents', () => {
  test('only the routes of agents are passed on, to the API as soon as that is there', async () => {
    const asked: string[] = [];
    const api = await listenOnLoopback((from, answer) => {
      asked.push(`${from.method} ${from.url} ${from.headers.authorization}`);
      answer.writeHead(202, { 'x-from': 'api' }).end('reported');
    });
    const door = await openAgentsDoor(newDirectory(), { port: undefined, logger: silentLogger });
    try {
      expect(await ask(door, '/v1/agent/health')).toMatchObject({ status: 503 });
      door.lead(api.url);
      expect(await ask(door, '/v1/agent/health')).toEqual({ status: 202, text: 'reported' });
      const others = ['/v1/manifests', '/', '/v1/agent/../manifests', '/v1/agent/health?a=b', '/v1/agent/%2e%2e/users'];
      for (const path of others) expect(await ask(door, path)).toMatchObject({ status: 404 });
      expect(asked).toEqual(['POST /v1/agent/health Bearer of the agent']);
    } finally {
      await door.close();
      await api.close();
    }
  });

  test('it takes its port again, and another one when that is taken', async () => {
    const directory = newDirectory();
    const door = await openAgentsDoor(directory, { port: undefined, logger: silentLogger });
    const other = await openAgentsDoor(directory, { port: door.port, logger: silentLogger });
    expect(other.port).not.toBe(door.port);
    expect(other.authority).toBe(door.authority);
    const { port } = door;
    await door.close();
    const again = await openAgentsDoor(directory, { port, logger: silentLogger });
    expect(again.port).toBe(port);
    await Promise.all([other.close(), again.close()]);
  });
});

/** As an agent asks: it trusts the authority only, and the name is that of the address. */
function ask({ port, authority }: AgentsDoor, path: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', ca: authority, servername: '' };
    const checkServerIdentity = (_: string, { subjectaltname }: { subjectaltname?: string }) =>
      subjectaltname === `IP Address:${address}` ? undefined : new Error(`it is ${subjectaltname}`);
    const headers = { authorization: 'Bearer of the agent' };
    request({ ...options, headers, checkServerIdentity, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
    })
      .on('error', reject)
      .end('{}');
  });
}
