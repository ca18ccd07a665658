/** Packages of bindings are read as text: what their classes take, what can be read of them, under which names. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bridgeName } from '../../scripts/provider-schemas/bridge/bridge-names.ts';
import { readDataSource, readResource } from '../../scripts/provider-schemas/bridge/read-package.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubeloom-bridge-'));
afterAll(() => rmSync(directory, { recursive: true }));

const property = (name: string, python: string, type: string, mark = ''): string =>
  `    @_builtins.property\n    @pulumi.getter(name="${name}")\n${mark}    def ${python}(self) -> ${type}:\n        """\n        Words.\n        """\n`;

const resource = `class ThingArgs:
    def __init__(__self__, *,
                 disk_size: pulumi.Input[_builtins.int],
                 old_zone: pulumi.Input[Optional[_builtins.str]] = None,
                 ports: Optional[pulumi.Input[Sequence[pulumi.Input['ThingPortArgs']]]] = None):
        pass

${property('diskSize', 'disk_size', 'pulumi.Input[_builtins.int]')}
${property('oldZone', 'old_zone', 'pulumi.Input[Optional[_builtins.str]]', '    @_utilities.deprecated("""Words, even\n(of two lines).""")\n')}
${property('ports', 'ports', "Optional[pulumi.Input[Sequence[pulumi.Input['ThingPortArgs']]]]")}

class Thing(pulumi.CustomResource):
    def _internal_init(__self__):
        secret_opts = pulumi.ResourceOptions(additional_secret_outputs=["password"])

${property('diskSize', 'disk_size', 'pulumi.Output[_builtins.int]')}
${property('oldZone', 'old_zone', 'pulumi.Output[Optional[_builtins.str]]')}
${property('password', 'password', 'pulumi.Output[_builtins.str]')}
${property('ports', 'ports', "pulumi.Output[Optional[Sequence['outputs.ThingPort']]]")}
`;
const inputs = `class ThingPortArgs:
    def __init__(__self__, *,
                 number: pulumi.Input[_builtins.float],
                 names: pulumi.Input[Optional[Mapping[str, pulumi.Input[_builtins.str]]]] = None):
        pass

${property('number', 'number', 'pulumi.Input[_builtins.float]')}
${property('names', 'names', 'pulumi.Input[Optional[Mapping[str, pulumi.Input[_builtins.str]]]]')}
`;
const outputs = `class ThingPort(dict):
    def __init__(__self__, *,
                 number: _builtins.float,
                 names: Optional[Mapping[str, _builtins.str]] = None):
        pass

${property('number', 'number', '_builtins.float')}
${property('names', 'names', 'Optional[Mapping[str, _builtins.str]]')}
`;
const dataSource = (required: string, optional: string): string => `class GetThingsResult:
    def __init__(__self__, ids=None, project=None, region=None):
        pass

${property('ids', 'ids', 'Sequence[_builtins.str]')}
${property('project', 'project', '_builtins.str')}
${property('region', 'region', 'Optional[_builtins.str]')}

def get_things_output(project: ${required} = None,
                      region: ${optional} = None,
                      opts: Optional[Union[pulumi.InvokeOptions, pulumi.InvokeOutputOptions]] = None) -> pulumi.Output[GetThingsResult]:
    pass
`;

beforeAll(() => {
  mkdirSync(join(directory, 'cloud'));
  const put = (name: string, text: string): void => writeFileSync(join(directory, 'cloud', `${name}.py`), text);
  put('thing', resource);
  put('_inputs', inputs);
  put('outputs', outputs);
});

it('a resource: what must and can be given, what is read, what is inside, deprecated and secret', () => {
  expect(readResource(directory, 'cloud/thing')).toEqual({
    diskSize: { type: 'number', input: 'required', output: 'always' },
    oldZone: { type: 'string', input: 'optional', output: 'maybe', deprecated: true },
    password: { type: 'string', output: 'always', secret: true },
    ports: {
      type: [
        'list',
        {
          fields: {
            names: { type: ['map', 'string'], input: 'optional', output: 'maybe' },
            number: { type: 'number', input: 'required', output: 'always' },
          },
        },
      ],
      input: 'optional',
      output: 'maybe',
    },
  });
});

it.each([
  ['older', 'Optional[pulumi.Input[_builtins.str]]', 'Optional[pulumi.Input[Optional[_builtins.str]]]'],
  ['newer', 'pulumi.Input[Optional[_builtins.str]]', 'pulumi.Input[Optional[Optional[_builtins.str]]]'],
])('a data source, in the %s way of writing types', (_, required, optional) => {
  writeFileSync(join(directory, 'cloud', 'get_things.py'), dataSource(required, optional));
  expect(readDataSource(directory, 'cloud/get_things')).toEqual({
    ids: { type: ['list', 'string'], output: 'always' },
    project: { type: 'string', input: 'required', output: 'always' },
    region: { type: 'string', input: 'optional', output: 'maybe' },
  });
});

it('a type that is not known is no guess', () => {
  writeFileSync(join(directory, 'cloud', 'get_things.py'), dataSource('pulumi.Input[Colour]', '_builtins.str'));
  expect(() => readDataSource(directory, 'cloud/get_things')).toThrow('"Colour" is no type');
});

it.each([
  ['server_type', false, [], 'serverType'],
  ['source_details', false, [], 'sourceDetails'],
  ['rule', true, [], 'rules'],
  ['firewall_ids', true, [], 'firewallIds'],
  ['default_answer_data', true, [], 'defaultAnswerDatas'],
  ['security_policy', true, [], 'securityPolicies'],
  ['address', true, [], 'addresses'],
  ['fixed_ip', true, ['fixed_ips'], 'fixedIp'],
  ['is_ipv6enabled', false, [], 'isIpv6enabled'],
])('%s (a list: %s) has its name of the bridge', (name, many, siblings, expected) => {
  expect(bridgeName(name, many, new Set(siblings))).toBe(expected);
});
