/** What the kit finds wrong with modules that break one part of the contract each. */
import { describe, expect, it } from 'vitest';
import { edited, findingsOf, goodType, pool } from './type-directory.ts';

const dns = {
  'dns/main.tf': 'terraform {\n  required_version = ">= 1.6"\n}\n',
  'dns/variables.tf': ['installation', 'cluster_id', 'zone', 'hostname']
    .map((name) => `variable "${name}" {\n  description = "It."\n  type = string\n}\n`)
    .concat('variable "addresses" {\n  description = "It."\n  type = list(string)\n}\n')
    .concat('variable "alternative_names" {\n  description = "It."\n  type = list(string)\n}\n')
    .concat('variable "tags" {\n  description = "It."\n  type = map(string)\n}\n')
    .concat('variable "health_check_port" {\n  description = "It."\n  type = number\n  nullable = false\n}\n')
    .join('\n'),
  'dns/outputs.tf': 'output "endpoint" {\n  value = var.zone\n}\n',
};

interface Case {
  readonly title: string;
  readonly change: Readonly<Record<string, string | null>>;
  readonly place: string;
  readonly says: RegExp;
}

const cases: readonly Case[] = [
  {
    title: 'a version that is a range',
    change: edited('provider.json', '1.2.3', '~> 1.2'),
    place: 'provider.json',
    says: /not an exact version/,
  },
  { title: 'a missing provider.json', change: { 'provider.json': null }, place: 'provider.json', says: /missing/ },
  {
    title: 'a word that provider.json does not know',
    change: edited('provider.json', '"firewall"', '"fireball"'),
    place: 'provider.json',
    says: /fireball/,
  },
  {
    title: 'a resource whose permissions are not listed',
    change: edited('permissions.json', 'acme_server', 'acme_sewer'),
    place: 'permissions.json',
    says: /acme_server is used/,
  },
  {
    title: 'permissions for what is not used',
    change: edited('permissions.json', '"data":{}', '"data":{"acme_zone":["zone:read"]}'),
    place: 'permissions.json',
    says: /acme_zone is listed/,
  },
  {
    title: 'an optional field that nothing takes',
    change: edited('provider.json', '"firewall"', '"optionalFields":["team"],"firewall"'),
    place: 'provider.json',
    says: /names team/,
  },
  {
    title: 'machines without a network',
    change: { 'network/main.tf': null, 'network/variables.tf': null, 'network/outputs.tf': null },
    place: '.',
    says: /network is missing/,
  },
  {
    title: 'text that is no HCL',
    change: { 'nodepool/main.tf': 'resource "a" {' },
    place: 'nodepool',
    says: /main\.tf/,
  },
  {
    title: 'a provider block in a module',
    change: { 'nodepool/more.tf': 'provider "acme" {\n}\n' },
    place: 'nodepool/main.tf',
    says: /having a count/,
  },
  {
    title: 'a version in a module',
    change: edited('nodepool/main.tf', '{ source = "example/acme" }', '{ source = "example/acme", version = "1.2.3" }'),
    place: 'nodepool/main.tf',
    says: /version of acme is set here/,
  },
  {
    title: 'another source in a module',
    change: edited('nodepool/main.tf', 'example/acme', 'other/acme'),
    place: 'nodepool/main.tf',
    says: /other\/acme here and example\/acme/,
  },
  {
    title: 'a plugin that no module declares',
    change: { 'nodepool/more.tf': 'data "other_thing" "x" {\n}\n' },
    place: 'nodepool/main.tf',
    says: /lacks other/,
  },
  {
    title: 'a firewall that is promised and not made',
    change: edited('network/main.tf', 'open   = local.open', 'open   = []'),
    place: 'network/main.tf',
    says: /no resource uses var\.(roles|api_port_open)/,
  },
  {
    title: 'a variable of the contract that is missing',
    change: { 'nodepool/variables.tf': (goodType['nodepool/variables.tf'] ?? '').replace('"first_boot"', '"boot"') },
    place: 'nodepool/variables.tf',
    says: /no variable first_boot/,
  },
  {
    title: 'a variable that gets no value',
    change: { 'nodepool/more.tf': 'variable "boot" {\n  type = string\n}\n' },
    place: 'nodepool/variables.tf',
    says: /variable boot gets no value/,
  },
  {
    title: 'a type that the value does not fit',
    change: edited('network/variables.tf', 'list(number)', 'string'),
    place: 'network/variables.tf',
    says: /ssh_ports does not accept.*list\(number\), not string/,
  },
  {
    title: 'an attribute that is not always given',
    change: edited('nodepool/variables.tf', pool, pool.replace('optional(string)', 'string')),
    place: 'nodepool/variables.tf',
    says: /zone may be missing/,
  },
  {
    title: 'an output of the network that the pool wants in vain',
    change: edited('network/outputs.tf', '"firewall"', '"fence"'),
    place: 'network/outputs.tf',
    says: /no output firewall/,
  },
  { title: 'missing outputs of names', change: dns, place: 'dns/outputs.tf', says: /no output alternative_endpoints/ },
  {
    title: 'nodes that are handed back without their address',
    change: edited('nodepool/outputs.tf', 'public_address', 'ip'),
    place: 'nodepool/outputs.tf',
    says: /nodes has no public_address/,
  },
  {
    title: 'a port that must not be null',
    change: dns,
    place: 'dns/variables.tf',
    says: /health_check_port may be null/,
  },
  {
    title: 'counted machines',
    change: edited('nodepool/main.tf', 'for_each  = var.nodes', 'count = length(var.nodes)'),
    place: 'nodepool: acme_server.node',
    says: /counted/,
  },
  {
    title: 'one resource for all nodes',
    change: {
      'nodepool/more.tf':
        'resource "acme_server" "group" {\n  members = [for server in acme_server.node : server.id]\n}\n',
    },
    place: 'nodepool: acme_server.group',
    says: /one resource for all nodes/,
  },
  {
    title: 'a first boot script that replaces machines',
    change: edited('nodepool/main.tf', 'image, user_data,', 'image,'),
    place: 'nodepool: acme_server.node',
    says: /user_data would replace/,
  },
  {
    title: 'an image that replaces machines',
    change: edited('nodepool/main.tf', 'image, user_data,', 'user_data,'),
    place: 'nodepool: acme_server.node',
    says: /image would replace/,
  },
  {
    title: 'tags that change with every generation',
    change: edited('nodepool/main.tf', ', labels["kubeloom-generation"]', ''),
    place: 'nodepool: acme_server.node',
    says: /labels would change with every generation/,
  },
  {
    title: 'machines without tags',
    change: edited('nodepool/main.tf', 'labels    = var.tags', 'labels    = {}'),
    place: 'nodepool',
    says: /no resource has var.tags/,
  },
  {
    title: 'an output that contains a password',
    change: edited('nodepool/outputs.tf', 'server.address', 'server.root_password'),
    place: 'nodepool/outputs.tf',
    says: /contains root_password/,
  },
  {
    title: 'an output that contains a field of the Secret',
    change: {
      ...edited('provider.json', '"firewall"', '"moduleVariables":{"account":"token"},"firewall"'),
      'network/more.tf':
        'variable "account" {\n  type = string\n}\noutput "account" {\n  value = "x-${var.account}"\n}\n',
      'nodepool/more.tf': 'variable "account" {\n  type = string\n}\n',
    },
    place: 'network/outputs.tf',
    says: /contains var\.account/,
  },
];

describe('the provider kit', () => {
  it('the provider kit has no findings for a type that keeps the contract', async () => {
    expect(await findingsOf({})).toEqual([]);
  });

  it.each(cases)('the provider kit finds $title', async ({ change, place, says }) => {
    const faults = (await findingsOf(change)).filter(({ severity }) => severity === 'fault');

    expect(faults.filter((fault) => fault.place === place).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(says),
    );
    expect(faults.every(({ fix }) => fix.length > 0)).toBe(true);
  });

  it('the provider kit reports a module that cannot be read once, and nothing that follows from it', async () => {
    const findings = await findingsOf({ 'network/main.tf': 'resource "acme_firewall" "network" {' });

    expect(findings.map(({ place, message }) => `${place}: ${message}`)).toEqual([
      expect.stringMatching(/^network: .*main\.tf:1/),
    ]);
  });

  it('the provider kit finds a variable through locals and through templates with quotes', async () => {
    const hidden: Record<string, string> = {
      'nodepool/more.tf': 'locals {\n  script = "say \\"hello\\" ${join(" ", ["${var.first_boot}"])} }"\n}\n',
      ...edited('nodepool/main.tf', 'replace(var.first_boot, "@node@", each.key)', 'local.script'),
    };
    const ignored = hidden['nodepool/main.tf']?.replace('image, user_data,', 'image,') ?? '';

    expect(await findingsOf(hidden)).toEqual([]);
    expect((await findingsOf({ ...hidden, 'nodepool/main.tf': ignored })).map(({ check }) => check)).toEqual([
      'changes',
    ]);
  });
});
