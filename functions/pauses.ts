/** Pauses before something that met another request is retried: about a second in all. */
export const pausesMs = [20, 40, 80, 160, 320, 640];

/** Half to one and a half times as long: of two that met, one should come first. */
export async function pauseAbout(milliseconds: number): Promise<void> {
  const waitMs = milliseconds * (0.5 + Math.random());
  await new Promise((done) => setTimeout(done, waitMs));
}

/** `attempt` is repeated after each pause, as long as what it throws `met` another request. Throws what it throws at last. */
export async function retryPausing<Answer>(
  attempt: () => Promise<Answer>,
  met: (error: unknown) => boolean,
): Promise<Answer> {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!met(error)) throw error;
    }
    await pauseAbout(pauseMs);
  }
  return attempt();
}
