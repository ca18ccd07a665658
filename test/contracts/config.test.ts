/** Configuration is parsed once, into what everybody downstream can take as it is. */
import { expect, it } from 'vitest';
import { fakeConfig } from '../fakes/fake-deps.ts';

it('administrator networks lose the bits after their prefix, which cloud firewalls refuse', () => {
  const config = fakeConfig({ KUBELOOM_RUNNER_CIDRS: '198.51.100.7/24, 203.0.113.9/32,0.0.0.0/0' });
  expect(config.KUBELOOM_RUNNER_CIDRS).toEqual(['198.51.100.0/24', '203.0.113.9/32', '0.0.0.0/0']);
});

it('a text that is not a network is refused', () => {
  expect(() => fakeConfig({ KUBELOOM_RUNNER_CIDRS: '198.51.100.7' })).toThrow('KUBELOOM_RUNNER_CIDRS');
});
