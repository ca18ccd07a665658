/** The facts of a machine: known, once, and of their type; else a sentence that shows what is wrong, cut and escaped. */
import { describe, expect, it } from 'vitest';
import { factLines, readMachineFacts } from '#domain/observed/machine-facts.ts';
import { NodeFacts } from '#domain/observed/node-facts.ts';
import { PlaybookEvent } from '#domain/observed/playbook-event.ts';

const key = 'vN0m3T0qzk1h6s0t7f9Hq3c5a7u9w1y3A5C7E9G1I2M=';
const boot = '0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61';
const template = "{{ lookup('pipe', 'id') }}";

describe('facts of a machine', () => {
  it('all that our scripts print is read', () => {
    const lines = factLines([
      'Welcome',
      `fact: wireguardPublicKey="${key}"`,
      'fact: wireguardPort=51820',
      `fact: bootId="${boot}"`,
      'fact: clock={"from":1795767600,"to":1795767660}',
      'fact: mesh={"two-01":true,"three-01":false}',
      'fact: surplus=["10.0.0.1/32 10.1.0.0/16","(none)"]',
      'fact: roles=["haproxy does not run"]',
      'fact: health=[{"ok":true},{"ok":null,"why":"http :80/: no answer within 1 s"}]',
      'fact: setUpAt="2026-11-27T04:00:00.000Z"\r',
      'fact: certificates={"/etc/kubernetes/pki/apiserver.crt":"LS0tLS1CRUdJTg=="}',
      'fact: renewing=true',
      'changed: made a WireGuard key',
    ]);
    expect(readMachineFacts(lines).facts).toEqual({
      wireguardPublicKey: key,
      wireguardPort: 51820,
      bootId: boot,
      clock: { from: 1795767600, to: 1795767660 },
      mesh: { 'two-01': true, 'three-01': false },
      surplus: ['10.0.0.1/32 10.1.0.0/16', '(none)'],
      roles: ['haproxy does not run'],
      health: [{ ok: true }, { ok: null, why: 'http :80/: no answer within 1 s' }],
      setUpAt: '2026-11-27T04:00:00.000Z',
      certificates: { '/etc/kubernetes/pki/apiserver.crt': 'LS0tLS1CRUdJTg==' },
      renewing: true,
    });
  });

  it.each([
    ['a template', `wireguardPublicKey="${template}"`, 'its fact wireguardPublicKey is not what our scripts report'],
    [
      'lines of a file',
      `wireguardPublicKey="${key}\\n[Interface]\\nPostUp = id"`,
      'its fact wireguardPublicKey is not',
    ],
    ['text that is no JSON', `wireguardPublicKey=${key}`, 'its fact wireguardPublicKey is not'],
    ['nothing', 'wireguardPublicKey=null', 'its fact wireguardPublicKey is not'],
    ['a port of text', 'wireguardPort="51820"', 'its fact wireguardPort is not'],
    ['port 0', 'wireguardPort=0', 'its fact wireguardPort is not'],
    ['a boot id with a line', `bootId="${boot}\\n"`, 'its fact bootId is not'],
    ['a clock of text', 'clock="now"', 'its fact clock is not'],
    ['a clock before 1970', 'clock={"from":-1,"to":1}', 'its fact clock is not'],
    ['a clock after the year 9999', 'clock={"from":1,"to":1e15}', 'its fact clock is not'],
    ['half of a second', 'clock={"from":1.5,"to":2}', 'its fact clock is not'],
    ['half of a clock', 'clock={"from":1}', 'its fact clock is not'],
    ['more than a clock', `clock={"from":1,"to":1,"zone":"${template}"}`, 'its fact clock is not'],
    ['a name of no host', `mesh={"${template}":true}`, 'its fact mesh is not'],
    ['a certificate of another file', 'certificates={"/etc/passwd":"QQ=="}', 'its fact certificates is not'],
    [
      'a certificate that is no base64',
      `certificates={"/etc/kubernetes/admin.conf":"${template}"}`,
      'its fact certificates',
    ],
    ['an unknown key', 'publicAddress="192.0.2.1"', 'it reports an unknown fact: "publicAddress"'],
    ['a key of every object', '__proto__={}', 'it reports an unknown fact: "__proto__"'],
    ['what a terminal would obey', 'roles=\u001b[31m\u202e', 'not what our scripts report: "\\u001b[31m\\u202e"'],
  ])('%s is refused, and shown', (_, line, problem) => {
    expect(readMachineFacts([line])).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('two facts of one name, too many and too long ones are refused', () => {
    const one = `wireguardPublicKey="${key}"`;
    expect(readMachineFacts([one, one]).problem).toBe('it reports the fact wireguardPublicKey twice');
    expect(readMachineFacts(Array(51).fill(one)).problem).toBe('it reports more than 50 facts');
    expect(readMachineFacts([`roles="${'x'.repeat(500_001)}"`]).problem).toMatch(/more than 500000 characters$/);
    expect(readMachineFacts([`${'k'.repeat(10_000)}=1`]).problem?.length).toBeLessThan(200);
  });
});

describe('stored facts of a node', () => {
  it('one that is not of its type counts as unknown, and the others stay', () => {
    const stored = {
      publicAddress: '192.0.2.1',
      wireguardPublicKey: `${key}\n[Interface]`,
      bootId: 'x',
      sshPort: 0,
      local: { network: template, address: '10.0.0.1' },
      dataDevice: '/dev/../etc/passwd',
      joined: true,
    };
    expect(JSON.parse(JSON.stringify(NodeFacts.parse(stored)))).toEqual({ publicAddress: '192.0.2.1', joined: true });
  });

  it('devices and networks of all clouds are known', () => {
    for (const dataDevice of [
      '/dev/disk/azure/data/by-lun/0 /dev/disk/azure/scsi1/lun0',
      '/dev/disk/by-id/*0a1b*2c3d*',
      '/dev/oracleoci/oraclevdb',
    ])
      expect(NodeFacts.parse({ dataDevice })).toEqual({ dataDevice });
  });
});

describe('events of a playbook', () => {
  it.each([
    { event: 'ok', host: 'a b', task: 'Try', changed: true },
    { event: 'ok', host: 'one', task: template, changed: true },
    { event: 'facts', host: '../x', lines: [] },
    { event: 'facts', host: 'one', lines: ['a=1\nb=2'] },
    { event: 'stats', hosts: { [template]: { ok: 1, changed: 0, failures: 0, unreachable: 0 } } },
    { event: 'other' },
  ])('%j is not an event', (event) => {
    expect(PlaybookEvent.safeParse(event).success).toBe(false);
  });

  it('words of a machine are cut and escaped', () => {
    const event = { event: 'failed', host: 'one', task: 'Try', message: `\u001b[2J${'x'.repeat(3000)}` };
    const { message } = PlaybookEvent.parse(event) as { message: string };
    expect(message).toMatch(/^\\u001b\[2Jx+…$/);
    expect(message.length).toBeLessThan(2010);
  });
});
