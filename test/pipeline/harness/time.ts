/** What happens to a manifest while time passes. */
import type { Pipeline } from './pipeline.ts';

/** A tick every `every` minutes; what it starts is carried out. */
export async function pass(pipeline: Pipeline, minutes: number, every = 5): Promise<void> {
  for (let passed = 0; passed < minutes; passed += every) {
    pipeline.deps.clock.advance(every * 60);
    for (const tick of ['tick', 'sync-sources']) {
      await pipeline.invoke(tick, {});
      await pipeline.settle();
    }
  }
}

/** Messages of the events of a kind so far. */
export async function eventsOf(pipeline: Pipeline, kind: string): Promise<readonly string[]> {
  return (await pipeline.events()).filter((event) => event.kind === kind).map(({ message }) => message);
}
