/** Types of what others report: nothing open passes. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ClusterFacts, noFacts } from '#domain/cluster-state.ts';
import { BootId, closedText, observedWords, WireguardKey } from '#domain/observed/closed-texts.ts';
import { openTexts } from './open-texts.ts';

const key = 'vN0m3T0qzk1h6s0t7f9Hq3c5a7u9w1y3A5C7E9G1I2M=';

describe('texts of machines', () => {
  it.each([`${key}\n[Interface]\nPostUp = touch /root/x`, `${key}\n`, "{{ lookup('pipe', 'id') }}", key.slice(1), ''])(
    '%j is no key of WireGuard',
    (text) => {
      expect(WireguardKey.safeParse(text).success).toBe(false);
    },
  );

  it('a key and a boot id are what WireGuard and Linux print', () => {
    expect(WireguardKey.parse(key)).toBe(key);
    expect(BootId.safeParse('0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61').success).toBe(true);
    expect(BootId.safeParse('0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61\n').success).toBe(false);
  });

  it('a text that is too long is refused before its pattern runs', () => {
    const slow = closedText(10, /^(a+)+$/);
    expect(slow.safeParse(`${'a'.repeat(100_000)}!`).error?.issues).toHaveLength(1);
  });

  it('words are cut, and what a terminal would obey is escaped', () => {
    expect(observedWords(13).parse('a\u001b[31m\u202eb\r\nc\td')).toBe('a\\u001b[31m\\u202eb\\u000d\nc\td');
    expect(observedWords(3).parse('abcdef')).toBe('abc…');
  });
});

describe('facts of a cluster', () => {
  it('a cluster has closed names of nodes and closed addresses of load balancers', () => {
    expect(openTexts(ClusterFacts).filter((path) => /^\.(nodes|loadBalancers)/.test(path))).toEqual([]);
    expect(openTexts(ClusterFacts)).toContain('.kubeconfigKey');
  });

  it('what an older version stored of another form counts as unknown, and everything else is read', () => {
    const good = { publicAddress: '198.51.100.1', sshPort: 22 };
    const stored = {
      ...noFacts,
      nodes: { 'control-aaaaaaa-01': { ...good, sshPort: 'x' }, "{{ lookup('pipe', 'id') }}": good, '-f': good },
      loadBalancers: {
        lb: { endpoint: 'shop.example.com' },
        other: { endpoint: '$(id)' },
        '../x': { endpoint: 'a.example.com' },
        third: 7,
      },
    };
    const { nodes, loadBalancers } = ClusterFacts.parse(stored);
    expect(nodes).toEqual({ 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } });
    expect(loadBalancers).toEqual({ lb: { endpoint: 'shop.example.com' } });
  });

  it('failed pools are read under the name that 0.1.0 stored them under, too', () => {
    const facts = { ...noFacts, failedPools: ['workers-bbbbbbb'] };
    expect(ClusterFacts.parse({ ...noFacts, lostPools: ['workers-bbbbbbb'] })).toEqual(facts);
    expect(ClusterFacts.parse(facts)).toEqual(facts);
  });

  it('a fact that this version does not know is no fact of an older one: it is refused', () => {
    const stored = { ...noFacts, nodes: { 'control-aaaaaaa-01': { serial: 'x' } } };
    expect(ClusterFacts.safeParse(stored).success).toBe(false);
  });
});

describe('open strings of a schema', () => {
  it('open strings are found wherever they are', () => {
    const schema = z.object({
      open: z.string().max(3),
      closed: WireguardKey,
      words: observedWords(3),
      list: z.array(z.object({ deep: z.string().optional() })),
      map: z.record(z.string(), z.enum(['a'])),
      either: z.union([z.literal('a'), z.string()]),
      any: z.unknown(),
      loose: z.looseObject({}),
    });
    expect(openTexts(schema)).toEqual(['.open', '.list.*.deep', '.map.key', '.either', '.any', '.loose.*']);
  });
});
