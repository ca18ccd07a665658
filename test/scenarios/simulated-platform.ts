/** A platform in this process with the sim runner, whose functions have their stores in memory; on CI those of the platform. */
import { useDeps, wire } from '#functions/wire.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { inMemoryStores } from '#test/fakes/fake-deps.ts';

export async function startSimulatedPlatform(): Promise<Platform> {
  const platform = await startPlatform({ inMemory: true, runner: 'sim', apiPort: 0, graceMs: 100 });
  // Requests to the platform's stores, and their signatures, are most of what a run costs here. CI makes them.
  if (process.env.CI !== 'true') useDeps({ ...wire(), ...inMemoryStores() });
  const stop = async () => {
    await platform.stop();
    useDeps(undefined);
  };
  return { ...platform, stop };
}
