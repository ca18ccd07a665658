/** Pauses before something that met another request is retried: about a second in all. */
export const pausesMs = [20, 40, 80, 160, 320, 640];

/** Half to one and a half times as long: of two that met, one should come first. */
export async function pauseAbout(milliseconds: number): Promise<void> {
  const waitMs = milliseconds * (0.5 + Math.random());
  await new Promise((done) => setTimeout(done, waitMs));
}
