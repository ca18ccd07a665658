/** Path of a user's Secret in the store. */
export function secretPath(namespace: string, name: string): string {
  return `user/${namespace}/${name}`;
}
