/** The check of modules finds what is planted, and says where. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkModule } from '../../scripts/provider-schemas/check/check-module.ts';
import { checkProviderBlock } from '../../scripts/provider-schemas/check/check-provider-block.ts';
import { committedSchemas } from '../../scripts/provider-schemas/check/check-types.ts';

const schemas = committedSchemas();
const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function faultsOf(text: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-planted-'));
  directories.push(directory);
  writeFileSync(join(directory, 'main.tf'), text);
  return checkModule(directory, schemas).map(({ line, message }) => `${line}: ${message}`);
}

const volume = 'resource "aws_ebs_volume" "disk" {\n  availability_zone = "a"\n  size = 5\n}\n';
const nodes =
  'variable "nodes" {\n  type = map(object({}))\n}\nresource "aws_instance" "node" {\n  for_each = var.nodes\n  ami = "ami-1"\n}\n';

describe('a module that is right has no faults', () => {
  it.each([
    ['a plain resource', volume],
    [
      'instances by their key',
      `${nodes}output "ids" {\n  value = { for name, node in aws_instance.node : name => node.public_ip }\n}\n`,
    ],
    ['a splat over instances', `${nodes}output "ids" {\n  value = values(aws_instance.node)[*].id\n}\n`],
    ['numbers and truth values as text', volume.replace('size = 5', 'size = "5"\n  encrypted = "true"')],
    [
      'a block that is made for each',
      'resource "aws_instance" "node" {\n  dynamic "ebs_block_device" {\n    for_each = ["/dev/sdh"]\n    content {\n      device_name = ebs_block_device.value\n    }\n  }\n}\n',
    ],
    [
      'a heredoc with an expression in it',
      `${volume}output "text" {\n  value = <<-EOT\n    disk \${aws_ebs_volume.disk.id} $\${HOME}\n  EOT\n}\n`,
    ],
  ])('%s', (_, text) => {
    expect(faultsOf(text)).toEqual([]);
  });
});

describe('a planted fault is found:', () => {
  it.each([
    [
      'an argument that does not exist',
      volume.replace('size', 'sise'),
      '3: aws_ebs_volume.disk: there is no argument "sise"',
    ],
    [
      'an argument one letter off',
      'resource "aws_instance" "n" {\n  vpc_security_group_id = []\n}\n',
      'there is "vpc_security_group_ids"',
    ],
    [
      'a required argument that is missing',
      'resource "aws_ebs_volume" "disk" {\n  size = 5\n}\n',
      '1: aws_ebs_volume.disk: the argument "availability_zone" is required',
    ],
    ['a value that is only for reading', volume.replace('size = 5', 'arn = "x"'), '"arn" is for reading only'],
    [
      'a word where a number is wanted',
      volume.replace('size = 5', 'size = "large"'),
      'size: a number is wanted, not "large"',
    ],
    [
      'a number where a truth value is wanted',
      volume.replace('size = 5', 'encrypted = 1'),
      'encrypted: a bool is wanted, not a number',
    ],
    [
      'text where a list is wanted',
      'resource "aws_instance" "n" {\n  vpc_security_group_ids = "sg-1"\n}\n',
      'a set is wanted, not a string',
    ],
    ['a list where text is wanted', volume.replace('"a"', '["a"]'), 'a string is wanted, not a list'],
    [
      'a block that does not exist',
      'resource "aws_instance" "n" {\n  root_disk {\n  }\n}\n',
      '2: aws_instance.n: there is no block "root_disk"',
    ],
    [
      'an argument inside a block',
      'resource "aws_instance" "n" {\n  root_block_device {\n    size = 5\n  }\n}\n',
      '3: aws_instance.n.root_block_device: there is no argument "size"',
    ],
    [
      'a block too many',
      'resource "aws_instance" "n" {\n  root_block_device {\n  }\n  root_block_device {\n  }\n}\n',
      '"root_block_device" may be there 1 time only',
    ],
    [
      'a required argument inside a dynamic block',
      'resource "aws_instance" "n" {\n  dynamic "ebs_block_device" {\n    for_each = []\n    content {\n    }\n  }\n}\n',
      'the argument "device_name" is required',
    ],
    [
      'a required block that is missing',
      'resource "azurerm_linux_virtual_machine" "n" {\n}\n',
      'the block "os_disk" is required',
    ],
    [
      'a block written as an argument',
      'resource "aws_instance" "n" {\n  root_block_device = {}\n}\n',
      '"root_block_device" is a block',
    ],
    ['an argument written as a block', 'resource "aws_instance" "n" {\n  tags {\n  }\n}\n', '"tags" is an argument'],
    [
      'an attribute that does not exist',
      `${volume}output "x" {\n  value = aws_ebs_volume.disk.ip\n}\n`,
      '6: aws_ebs_volume.disk has no "ip"',
    ],
    [
      'an attribute inside a block',
      'resource "aws_instance" "n" {\n}\noutput "x" {\n  value = aws_instance.n.root_block_device[0].uuid\n}\n',
      'aws_instance.n.root_block_device has no "uuid"',
    ],
    [
      'a missing index into a block',
      'resource "aws_instance" "n" {\n}\noutput "x" {\n  value = aws_instance.n.root_block_device.volume_id\n}\n',
      'an index is missing',
    ],
    [
      'an attribute of one of many',
      `${nodes}output "x" {\n  value = aws_instance.node["a"].public_address\n}\n`,
      'aws_instance.node has no "public_address"',
    ],
    [
      'an attribute in a for',
      `${nodes}output "x" {\n  value = [for node in aws_instance.node : node.address]\n}\n`,
      'aws_instance.node has no "address"',
    ],
    [
      'an attribute behind a splat',
      `${nodes}output "x" {\n  value = values(aws_instance.node)[*].address\n}\n`,
      'aws_instance.node has no "address"',
    ],
    [
      'an attribute inside a string',
      `${volume}output "x" {\n  value = "disk-\${aws_ebs_volume.disk.uuid}"\n}\n`,
      'aws_ebs_volume.disk has no "uuid"',
    ],
    [
      'an attribute behind a local',
      `${volume}locals {\n  disk = aws_ebs_volume.disk\n}\noutput "x" {\n  value = local.disk.uuid\n}\n`,
      'aws_ebs_volume.disk has no "uuid"',
    ],
    [
      'an attribute behind each',
      `${nodes}resource "aws_eip" "node" {\n  for_each = aws_instance.node\n  instance = each.value.uuid\n}\n`,
      'aws_instance.node has no "uuid"',
    ],
    [
      'an attribute of a data source',
      'data "aws_route53_zone" "zone" {\n  name = "x"\n}\noutput "x" {\n  value = data.aws_route53_zone.zone.zoneid\n}\n',
      'data.aws_route53_zone.zone has no "zoneid"',
    ],
    [
      'an attribute of self',
      `${volume.replace('}\n', '')}  lifecycle {\n    postcondition {\n      condition = self.uuid != ""\n      error_message = "x"\n    }\n  }\n}\n`,
      'aws_ebs_volume.disk has no "uuid"',
    ],
    [
      'a value of another type from a resource',
      `${nodes}resource "aws_ebs_volume" "disk" {\n  availability_zone = aws_instance.node["a"].vpc_security_group_ids\n}\n`,
      'a string is wanted, not a set',
    ],
    [
      'a resource that is not there',
      'output "x" {\n  value = aws_instance.node.id\n}\n',
      '"aws_instance.node" is not declared in this module',
    ],
    ['a variable that is not there', 'output "x" {\n  value = var.node\n}\n', 'there is no variable "node"'],
    [
      'a field of a variable',
      'variable "pool" {\n  type = object({ zone = optional(string) })\n}\noutput "x" {\n  value = var.pool.zoen\n}\n',
      'var.pool has no "zoen"',
    ],
    ['a local that is not there', 'output "x" {\n  value = local.node\n}\n', 'there is no local "node"'],
    [
      'a lasting difference of what is not there',
      volume.replace('size = 5', 'lifecycle {\n    ignore_changes = [labels]\n  }'),
      'ignore_changes names "labels"',
    ],
    [
      'an argument of a nested attribute',
      'resource "hcloud_zone_rrset" "a" {\n  zone = "x"\n  name = "y"\n  type = "A"\n  records = [{ address = "1.2.3.4" }]\n}\n',
      'hcloud_zone_rrset.a.records: there is no argument "address"',
    ],
    [
      'a required argument of a nested attribute',
      'resource "hcloud_zone_rrset" "a" {\n  zone = "x"\n  name = "y"\n  type = "A"\n  records = [for a in ["1"] : { comment = a }]\n}\n',
      'the argument "value" is required',
    ],
    ['a resource that no fixture has', 'resource "aws_lambda_function" "f" {\n}\n', 'its schema is in no fixture'],
    ['a provider block in a module', 'provider "aws" {\n}\n', 'a module with a provider block can have no count'],
    [
      'a brace that is missing',
      'resource "aws_instance" "n" {\n  ami = "x"\n',
      '3: a name is wanted, not the end of the file',
    ],
  ])('%s', (_, text, fault) => {
    expect(faultsOf(text).join('\n')).toContain(fault);
  });
});

describe('a provider block', () => {
  const azurerm = {
    ...{ name: 'azurerm', source: 'hashicorp/azurerm', version: '0' },
    ...{ credentials: {}, logins: [], arguments: {} },
  };
  const schema = schemas.get('azurerm')?.provider ?? {};

  it.each([
    [
      'a credential',
      { credentials: { client: 'clientid' }, arguments: { features: {} } },
      'there is no argument "client"',
    ],
    [
      'a login',
      { logins: [{ fields: ['x'], credentials: { oidc: 'x' }, arguments: {} }] },
      'there is no argument "oidc"',
    ],
    ['a credential inside a block', { credentials: { 'features.token': 'token' } }, 'there is no argument "token"'],
    [
      'an argument inside a block',
      { arguments: { features: { resource_group: { force: true } } } },
      'there is no argument "force"',
    ],
    ['a type', { arguments: { features: {}, use_cli: 7 } }, 'use_cli: a bool is wanted, not a number'],
    ['the region', { arguments: { features: {} }, regionArgument: 'region' }, 'there is no argument "region"'],
  ])('with a fault in %s is refused', (_, change, fault) => {
    expect(checkProviderBlock({ ...azurerm, ...change }, schema).join('\n')).toContain(fault);
  });

  it('that lacks what is required is refused', () => {
    const demanding = {
      attributes: { token: { type: 'string', required: true } },
      block_types: { features: { nesting_mode: 'list', block: {}, min_items: 1 } },
    } as const;
    expect(checkProviderBlock(azurerm, demanding)).toEqual([
      'provider "azurerm": the argument "token" is required',
      'provider "azurerm": the block "features" is required',
    ]);
  });

  it('that is right has no faults', () => {
    expect(checkProviderBlock({ ...azurerm, arguments: { features: {} } }, schema)).toEqual([]);
  });
});
