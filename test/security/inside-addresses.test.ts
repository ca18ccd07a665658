/** Addresses that a template reference must not make the API connect to, in every way in which they can be written. */
import { describe, expect, it } from 'vitest';
import { GitReferences } from '#adapters/git-references.ts';
import { isPrivateAddress } from '#adapters/public-https.ts';

describe('private addresses', () => {
  it.each([
    ['IPv4 in the old form of IPv6', '::10.0.0.1'],
    ['IPv4 through a translator', '::ffff:0:10.0.0.1'],
    ['IPv4 through the well-known NAT64', '64:ff9b::a9fe:a9fe'],
    ['IPv4 through a NAT64 of one’s own', '64:ff9b:1::a00:1'],
    ['IPv4 in 6to4', '2002:a9fe:a9fe::1'],
    ['IPv4 in Teredo', '2001:0:a9fe:a9fe::1'],
    ['a site', 'fec0::1'],
    ['a link, with its zone', 'fe80::1%lo'],
    ['what is discarded', '100::1'],
    ['documentation', '2001:db8::1'],
    ['documentation in IPv4', '192.0.2.1'],
    ['a relay of 6to4', '192.88.99.1'],
    ['segments', '5f00::1'],
    ['the metadata of AWS in IPv6', 'fd00:ec2::254'],
  ])('a private address is recognized: %s', (_what, address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(['2606:4700::1', '2a00:1450:4001::1', '2001:4860:4860::8888', '::ffff:8.8.8.8', '198.51.99.1'])(
    '%s is not a private address',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );

  it.each([
    '169.254.169.254/latest/meta-data',
    '[::ffff:169.254.169.254]/a/b.c',
    '[::1]:9/a/b.c',
    '0x7f.1/a',
    '127.1.:9/a',
    '017700000001.0x0/../a',
    '2852039166./a',
    'localhost.:9/a',
  ])('a private address is refused before a connection: %s', async (url) => {
    const answer = await new GitReferences({ privateHosts: [] }).resolve(url, 'main');
    expect(answer).toMatchObject({
      reason: expect.stringMatching(/is in a private network|could not be read.*(URL|ENOTFOUND)/),
    });
  });
});
