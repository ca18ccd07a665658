/** A machine that lies to a check over SSH: the check names it, all others are checked, and nothing that it said is obeyed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { all, look, openLooks, world } from '#test/drift/recorded-looks.ts';
import { prefix } from '#test/runner/stage-world.ts';
import { sampled } from '#test/sampled.ts';
import { hostileTexts, obeyedRaw } from './lies.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();
beforeEach(openLooks);
afterEach(() => world.close());

const liar = 'workers-bbbbbbb-01';
const honestFacts = (): string => {
  const mesh = Object.fromEntries(all.filter((name) => name !== liar).map((name) => [name, true]));
  return `fact: mesh=${JSON.stringify(mesh)}\nfact: bootId="0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61"\n`;
};

/** The ssh of the recordings, but that the liar runs this instead. */
async function checkWith(script: string) {
  const honest = join(world.directory, 'ssh');
  writeFileSync(join(world.directory, 'lie'), script);
  world.set(
    'KUBELOOM_SSH',
    world.script(
      'lying-ssh',
      `#!/bin/bash\ncase "$*" in *known_hosts-${liar}*) cat >/dev/null; . "${world.directory}/lie";; *) exec "${honest}" "$@";; esac\n`,
    ),
  );
  const report = await look();
  const log =
    (await world.ports.artifacts.getText(waypointKeys.log(waypointKeys.attempt(prefix, 'drift', 'do', 1)))) ?? '';
  const kinds = report.items.map(({ kind }) => kind);
  return { log, kinds, unchecked: report.unchecked, mesh: report.items.filter(({ kind }) => kind === 'mesh') };
}

/** Prints a text as it is. */
const printing = (text: string) => `base64 -d <<'END'\n${Buffer.from(text).toString('base64')}\nEND\n`;
const texts = hostileTexts(canary.file);
const answers: Readonly<Record<string, string>> = {
  nothing: 'true',
  'nothing, and exit 255': 'exit 255',
  'a hang-up in the middle': `${printing('fact: mesh={"a')}exit 255`,
  'words of a shell': printing('Please log in as the user ubuntu\n'),
  'a line of a megabyte without an end': 'head -c 1000000 /dev/zero | tr "\\0" x',
  'a gigabyte of zero bytes': 'head -c 1000000000 /dev/zero',
  'facts that are no JSON': printing('fact: mesh={{ 7*7 }}\nfact: bootId=$(id)\n'),
  'a certificate of a megabyte': printing(
    `fact: certificates={"/etc/kubernetes/admin.conf":"${'A'.repeat(1_000_000)}"}\n`,
  ),
  'a certificate of a file of its choice': printing('fact: certificates={"/etc/shadow":"QQ=="}\n'),
  'a part of the proxy settings of its choice': printing('fact: proxy=["/etc/shadow"]\n'),
  'a number without end': printing('fact: mesh=1e999\n'),
  'a hundred thousand levels': printing(`fact: mesh=${'['.repeat(100_000)}\n`),
  'events of another host': printing('{"event":"facts","host":"control-aaaaaaa-01","mesh":{}}\n'),
  'invalid UTF-8': `printf 'fact: mesh=\\xff\\xfe\\n'`,
  ...Object.fromEntries(
    Object.entries(texts)
      .filter(([name]) => name !== 'long')
      .map(([name, text]) => [
        `${name} as its words`,
        `${printing(text)}${printing(text).replace('base64 -d', 'base64 -d >&2')}exit 1`,
      ]),
  ),
};

describe('a machine that lies to a check', () => {
  it.each(sampled(Object.entries(answers), { oneOf: 3, from: 1 }))(
    '%s is a finding about that machine only',
    async (_, script) => {
      const { mesh, log } = await checkWith(script);
      expect(mesh.map(({ where }) => where.node)).toEqual([liar]);
      for (const { message } of mesh) {
        expect(message.length).toBeLessThan(501);
        expect(message).not.toMatch(obeyedRaw);
      }
      expect(log.length).toBeLessThan(3_000_000);
    },
  );

  it('what is no certificate is unchecked, and the rest of what its machine says counts', async () => {
    const bent = [
      'no certificate',
      '-----BEGIN CERTIFICATE-----\n'.repeat(300),
      `-----BEGIN CERTIFICATE-----\n${'A'.repeat(64)}\n-----END CERTIFICATE-----\n`,
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
    ];
    for (const text of bent) {
      const certificates = { '/etc/kubernetes/admin.conf': Buffer.from(text).toString('base64') };
      const { mesh, unchecked, kinds } = await checkWith(
        printing(`${honestFacts()}fact: certificates=${JSON.stringify(certificates)}\n`),
      );
      expect(mesh).toEqual([]);
      expect(kinds).not.toContain('expiry');
      expect(unchecked).toContain(`${liar}: no certificate can be read in /etc/kubernetes/admin.conf`);
    }
  });

  it('a fact with the name of a prototype is a name, and says nothing about another machine', async () => {
    const { mesh } = await checkWith(
      printing('fact: __proto__={"mesh":{}}\nfact: mesh={"__proto__":{"polluted":true}}\n'),
    );
    expect(mesh.filter(({ where }) => where.node !== liar)).toEqual([]);
    expect(({} as { mesh?: unknown; polluted?: unknown }).polluted).toBeUndefined();
  });

  it('facts of a machine that are in the middle of its lies count, and say nothing about another', async () => {
    const { mesh } = await checkWith(`${printing(honestFacts())}${printing('fact: roles=["\u001b[31m"]\n')}`);
    expect(mesh.filter(({ where }) => where.node !== liar)).toEqual([]);
  });
});
