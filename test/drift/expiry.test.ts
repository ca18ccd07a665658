/** When certificates are renewed, and from when on their ends are warnings. */
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import { type Expiry, endText, isUrgent, keptExpiries, renewedAt, warnsAt } from '#domain/expiry.ts';
import { machineExpiries } from '#runner/drift/machine-expiries.ts';
import { certificateUntil } from '#test/fakes/certificates.ts';
import { encoded } from '#test/fakes/kubeconfigs.ts';
import { twoProviderState } from '#test/rendering/states.ts';

const aYear: Expiry = {
  what: '/etc/kubernetes/pki/apiserver.crt',
  node: 'control-aaaaaaa-01',
  from: '2026-01-01T00:00:00.000Z',
  until: '2027-01-01T00:00:00.000Z',
};
const day = (iso: string): string => iso.slice(0, 10);

describe('the end of a certificate', () => {
  it('a certificate of a year is renewed between 120 and 90 days before its end, and is a warning after that', () => {
    const seeds = Array.from({ length: 500 }, (_, number) => `shop-${number.toString(36)}`);
    const days = seeds.map((seed) => day(renewedAt(aYear, seed)));
    expect(days.every((at) => at >= '2026-09-03' && at <= '2026-10-03')).toBe(true);
    expect(new Set(days).size).toBeGreaterThan(25);
    expect(renewedAt(aYear, 'shop-1')).toBe(renewedAt(aYear, 'shop-1'));
    expect(day(warnsAt(aYear))).toBe('2026-10-03');
  });

  it('a certificate of a few hours is renewed when a third of its time is left, or a little before', () => {
    const short = { ...aYear, from: '2026-01-01T00:00:00Z', until: '2026-01-01T09:00:00Z' };
    expect(warnsAt(short)).toBe('2026-01-01T06:00:00.000Z');
    expect(renewedAt(short, 'a') >= '2026-01-01T05:00:00.000Z').toBe(true);
  });

  it('an authority is a warning three years before its end, and a kubelet that is late by its last twentieth', () => {
    const ten = { from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' };
    expect(day(warnsAt({ ...ten, what: '/etc/kubernetes/pki/ca.crt' }))).toBe('2033-01-01');
    expect(day(warnsAt({ ...aYear, what: '/var/lib/kubelet/pki/kubelet-client-current.pem' }))).toBe('2026-12-13');
  });

  it('an end within a month is urgent, and one that is over', () => {
    expect(isUrgent(aYear, new Date('2026-11-30T00:00:00Z'))).toBe(false);
    expect(isUrgent(aYear, new Date('2026-12-03T00:00:00Z'))).toBe(true);
    expect(isUrgent(aYear, new Date('2028-01-01T00:00:00Z'))).toBe(true);
    expect(endText(aYear, new Date('2026-12-30T00:00:00Z'))).toBe('2027-01-01 (in 2 days)');
    expect(endText(aYear, new Date('2028-01-01T00:00:00Z'))).toBe('2027-01-01 (it has ended)');
  });

  it('the first certificate to end is kept, and the first authority', () => {
    const later = { ...aYear, until: '2028-01-01T00:00:00.000Z' };
    const authority = { ...aYear, what: '/etc/kubernetes/pki/etcd/ca.crt', until: '2026-06-01T00:00:00.000Z' } as const;
    const kubelet = { ...authority, what: '/var/lib/kubelet/pki/kubelet-server-current.pem' } as const;
    expect(keptExpiries([later, kubelet, authority, aYear])).toEqual([aYear, authority]);
  });
});

describe('certificates that machines report', () => {
  const state = twoProviderState();
  const [first = '', second = ''] = allNodes(state).map(({ node }) => node.name);
  const found = (
    reports: Readonly<
      Record<string, Parameters<typeof machineExpiries>[1] extends ReadonlyMap<string, infer Report> ? Report : never>
    >,
    now: string,
  ) => machineExpiries(state, new Map(Object.entries(reports)), new Date(now));
  const pem = (until: string, from?: string) => encoded(certificateUntil(until, from));
  const year = { '/etc/kubernetes/pki/apiserver.crt': pem('2027-01-01T00:00:00Z') };

  it('a control node is one finding, whatever number of its certificates is due, and a new one is not', () => {
    const admin = { '/etc/kubernetes/admin.conf': pem('2027-01-02T00:00:00Z') };
    const renewed = { '/etc/kubernetes/pki/apiserver.crt': pem('2027-10-03T00:00:00Z', '2026-10-03T00:00:00Z') };
    const { items, expiries } = found(
      { [first]: { certificates: { ...year, ...admin } }, [second]: { certificates: renewed } },
      '2026-10-04T00:00:00Z',
    );
    expect(items).toEqual([
      {
        kind: 'expiry',
        where: { node: first, pool: 'control', provider: 'hz-prod', id: '2027-01-01T00:00:00.000Z' },
        message: `2 certificates of ${first} are due for renewal: /etc/kubernetes/pki/apiserver.crt ends on 2027-01-01 (in 89 days)`,
        repairable: true,
      },
    ]);
    expect(expiries).toEqual([expect.objectContaining({ node: first, until: '2027-01-01T00:00:00.000Z' })]);
    expect(found({ [first]: { certificates: year } }, '2026-12-20T00:00:00Z').items).toMatchObject([{ urgent: true }]);
    expect(found({ [first]: { certificates: year } }, '2026-08-01T00:00:00Z').items).toEqual([]);
  });

  it('a renewal that was interrupted is due until what uses the certificates was restarted', () => {
    const { items } = found({ [first]: { certificates: year, renewing: true } }, '2026-02-01T00:00:00Z');
    expect(items).toMatchObject([{ kind: 'expiry', where: { node: first }, repairable: true }]);
  });

  it('a kubelet that does not renew its certificate is for a person, on any node', () => {
    const kubelet = { '/var/lib/kubelet/pki/kubelet-client-current.pem': pem('2027-01-01T00:00:00Z') } as const;
    const worker = 'workers-bbbbbbb-01';
    expect(found({ [worker]: { certificates: kubelet } }, '2026-12-01T00:00:00Z').items).toEqual([]);
    const [item] = found({ [worker]: { certificates: kubelet } }, '2026-12-20T00:00:00Z').items;
    expect(item).toMatchObject({ kind: 'expiry', where: { node: worker }, repairable: false });
  });

  it('an authority is noted years before its end, once for all nodes, and a finding in its last year', () => {
    const authority = { '/etc/kubernetes/pki/ca.crt': pem('2036-01-01T00:00:00Z') } as const;
    const all = { [first]: { certificates: authority }, [second]: { certificates: authority } };
    expect(found(all, '2032-12-01T00:00:00Z')).toMatchObject({ items: [], notes: [] });
    const early = found(all, '2033-02-01T00:00:00Z');
    expect(early.items).toEqual([]);
    expect(early.notes).toEqual([expect.stringContaining('/etc/kubernetes/pki/ca.crt ends on 2036-01-01')]);
    const last = found(all, '2035-02-01T00:00:00Z');
    expect(last.notes).toEqual([]);
    expect(last.items).toMatchObject([{ where: { name: '/etc/kubernetes/pki/ca.crt' }, repairable: false }]);
  });

  it('a file without a certificate is reported as unchecked, and the others count', () => {
    const certificates = { ...year, '/etc/kubernetes/admin.conf': encoded('no certificate') };
    const { items, unchecked } = found({ [first]: { certificates } }, '2026-10-04T00:00:00Z');
    expect(items).toHaveLength(1);
    expect(unchecked).toEqual([`${first}: no certificate can be read in /etc/kubernetes/admin.conf`]);
  });
});
