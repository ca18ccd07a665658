/** If two writers meet, the slower one reads and decides again. */
import { isPipelineError } from '#domain/errors.ts';

const mostTries = 5;

/** `attempt` reads, decides and writes. It is tried 5 times at most, while it throws `VersionConflict`. */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPipelineError(error, 'VersionConflict') || tries === mostTries) throw error;
    }
  }
}
