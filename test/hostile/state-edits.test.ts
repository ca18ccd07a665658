/** What a person, or who pretends to be one, names in an edit of a Terraform state: nothing of it is an option, a template, a second line or another state. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StateEditRequest } from '#contracts/state-edits.ts';
import { changeFaults } from '#domain/edit-faults.ts';
import { meantEdit } from '#domain/meant-edit.ts';
import { InstanceAddress, StateChange } from '#domain/state-edit.ts';
import { propertyRuns } from '#test/property-runs.ts';

const machine = 'module.pool_x.hcloud_server.node["web-01"]';
const states = [
  {
    workspace: 'machines-hetzner',
    serial: 7,
    waits: false,
    addresses: [
      machine,
      'module.pool_x.hcloud_server.node["web-02"]',
      'module.net.hcloud_network.main',
      'data.hcloud_image.os',
    ],
  },
  {
    workspace: 'machines-aws',
    serial: 3,
    waits: true,
    addresses: ['module.net.aws_vpc.main', 'module.net.hcloud_network.main'],
  },
  { workspace: 'dns-lb-aws', serial: null, waits: false, addresses: [] },
];
const faultsOf = (...args: Parameters<typeof meantEdit>): string => {
  const meant = meantEdit(...args);
  return 'faults' in meant ? meant.faults.join('\n') : `none: ${JSON.stringify(meant.edit)}`;
};

describe('an address in an edit of a Terraform state', () => {
  it.each([
    machine,
    'hcloud_network.main',
    'data.hcloud_image.os',
    'module.data.module_x.y',
    'module.a[0].module.b["x"].t_1.n-2[12]',
    String.raw`t.n["a \"quoted\" \\ \u00e9 $5 %"]`,
  ])('%s is one', (address) => {
    expect(InstanceAddress.safeParse(address).success).toBe(true);
  });

  it.each([
    ['an option', '-state=/etc/passwd'],
    ['an option in front', '-lock=false hcloud_server.a'],
    ['two words', 'hcloud_server.a hcloud_server.b'],
    ['a newline', 'hcloud_server.a\nhcloud_server.b'],
    ['a newline at the end', 'hcloud_server.a\n'],
    ['a newline in a key', 'hcloud_server.a["x\ny"]'],
    ['a template', 'hcloud_server.a["${file(\\"/etc/passwd\\")}"]'],
    ['a directive', 'hcloud_server.a["%{ if true }"]'],
    ['a quote that ends', 'hcloud_server.a["x"]["y"]'],
    ['a quote in a key', 'hcloud_server.a["x"y"]'],
    ['a shell', 'hcloud_server.a;rm'],
    ['a subshell', 'hcloud_server.$(id)'],
    ['a backtick', 'hcloud_server.`id`'],
    ['a path', '../other.tfstate'],
    ['a wildcard', 'hcloud_server.*'],
    ['a splat', 'hcloud_server.a[*]'],
    ['a module', 'module.pool_x'],
    ['data without a type', 'data.x'],
    ['a null', 'hcloud_server.a\u0000'],
    ['another script', 'hcloud_sеrver.a'],
    ['one that turns', 'hcloud_server.a["\u202e"]'],
    ['nothing', ''],
    ['one that is too long', `hcloud_server.a["${'x'.repeat(1000)}"]`],
  ])('%s is not one', (_, address) => {
    expect(InstanceAddress.safeParse(address).success).toBe(false);
    expect(StateChange.safeParse({ kind: 'rm', addresses: [address] }).success).toBe(false);
    expect(faultsOf({ kind: 'mv', from: machine, to: address }, states)).not.toMatch(/^none/);
  });

  it('no text that is one begins with a dash, has a second line, or a template', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `a.b["${text}"]`),
        ),
        (text) => {
          fc.pre(InstanceAddress.safeParse(text).success);
          expect(text).toMatch(/^[A-Za-z_][ -~]*$/);
          expect(text).not.toMatch(/[$%]\{/);
        },
      ),
      { numRuns: propertyRuns(2000) },
    );
  });
});

describe('an id that is imported', () => {
  const withId = (id: string) => StateChange.safeParse({ kind: 'import', address: 'a.b', id }).success;
  it.each(['4711', '/subscriptions/x/resourceGroups/y', 'ocid1.instance.oc1..a', 'a,b', "it's", 'eu-1/i-0abc', 'a b'])(
    '%s is one',
    (id) => {
      expect(withId(id)).toBe(true);
    },
  );
  it.each(['', '-config=/tmp', '--help', ' x', 'x ', 'a\nb', 'a\u001b[2J', 'é', 'x'.repeat(1001)])(
    '%j is not one',
    (id) => {
      expect(withId(id)).toBe(false);
    },
  );
  it('an id that is a secret is refused, whatever module it is in, and not repeated', () => {
    for (const address of ['module.a.random_password.b[0]', 'random_password.b', 'random_bytes.b'])
      expect(changeFaults({ kind: 'import', address, id: 'kumquat' }).join()).toMatch(/^(?!.*kumquat).*is its secret/);
  });
});

describe('a state that is edited', () => {
  it.each(['machines-x/../../other', 'machines-', 'errored', 'machines-a.tfstate\n', '../machines-a', 'env:/a'])(
    '%j is no name of one',
    (workspace) => {
      expect(
        StateEditRequest.safeParse({ workspace, serial: 1, change: { kind: 'rm', addresses: ['a.b'] } }).success,
      ).toBe(false);
    },
  );
});

describe('what a person means', () => {
  it('an address without its index, or a module, means all that is below it', () => {
    const all = states[0]?.addresses.filter((address) => address.includes('node')) ?? [];
    for (const wanted of ['module.pool_x', 'module.pool_x.hcloud_server.node'])
      expect(meantEdit({ kind: 'rm', addresses: [wanted, machine] }, states)).toEqual({
        edit: { workspace: 'machines-hetzner', serial: 7, change: { kind: 'rm', addresses: all } },
      });
    expect(faultsOf({ kind: 'rm', addresses: ['module.pool'] }, states)).toContain(
      'no Terraform state has module.pool',
    );
  });

  it('all faults are reported at once, each with what was meant', () => {
    const faults = faultsOf(
      { kind: 'rm', addresses: ['module.pool_x.hcloud_server.node["web-1"]', 'module.net.aws_vpc.mian'] },
      states,
    );
    expect(faults).toContain(`did you mean ${machine}?`);
    expect(faults).toContain('did you mean module.net.aws_vpc.main?');
  });

  it('a state has to be chosen where several are possible, and a second one needs a second command', () => {
    const both = { kind: 'rm', addresses: ['module.net.hcloud_network.main'] } as const;
    expect(faultsOf(both, states)).toContain('choose one with --workspace (machines-hetzner and machines-aws)');
    expect(meantEdit(both, states, 'machines-hetzner')).toMatchObject({ edit: { workspace: 'machines-hetzner' } });
    expect(faultsOf(both, states, 'machines-hetzne')).toContain('did you mean machines-hetzner?');
    expect(faultsOf({ kind: 'rm', addresses: [machine, 'module.net.aws_vpc.main'] }, states)).toContain(
      'one command for each',
    );
    expect(faultsOf({ kind: 'import', address: 'aws_vpc.x', id: 'y' }, states)).toContain('--workspace');
    expect(
      meantEdit({ kind: 'import', address: 'module.pool_x.hcloud_server.node["web-03"]', id: '3' }, states),
    ).toMatchObject({ edit: { workspace: 'machines-hetzner' } });
    expect(meantEdit({ kind: 'import', address: 'aws_route53_record.x', id: 'y' }, states, 'dns-lb-aws')).toMatchObject(
      { edit: { serial: null } },
    );
  });

  it('a move to what exists, to another type, to itself, or of what is only read is refused', () => {
    const move = (from: string, to: string) => faultsOf({ kind: 'mv', from, to }, states, 'machines-hetzner');
    expect(move(machine, 'module.pool_x.hcloud_server.node["web-02"]')).toContain('exists already');
    expect(move(machine, 'module.net.hcloud_network.other')).toContain('is of another type');
    expect(move(machine, machine)).toContain('both the old and the new address');
    expect(move('data.hcloud_image.os', 'data.hcloud_image.other')).toContain('is read, not managed');
    expect(faultsOf({ kind: 'import', address: machine, id: '1' }, states)).toContain('exists already');
  });

  it('a state whose newer one waits to be saved is not edited', () => {
    expect(faultsOf({ kind: 'rm', addresses: ['module.net.aws_vpc.main'] }, states)).toContain('waits to be saved');
  });
});
