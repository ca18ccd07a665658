/** Small words for sentences about plans. */

/** "1 node", "3 nodes". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}

/** "a", "a and b", "a, b and 4 more". */
export function listed(items: readonly string[], most = 3): string {
  if (items.length > most) return `${items.slice(0, most - 1).join(', ')} and ${items.length - most + 1} more`;
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** "20 min", "3 h 20 min", "40 days" */
export function spanText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  return days >= 2 ? `${days} days` : hours > 0 ? `${hours} h ${minutes - hours * 60} min` : `${minutes} min`;
}

/** Names of one pool without saying its name again and again: "web-a1b2c3d-01, -02 and -03". */
export function listedNodes(names: readonly string[], most = 4): string {
  const [first = '', ...rest] = names;
  const prefix = first.slice(0, first.lastIndexOf('-'));
  return listed(
    [first, ...rest.map((name) => (name.startsWith(`${prefix}-`) ? name.slice(prefix.length) : name))],
    most,
  );
}

/** "azure-2, northeurope"; machines of the user's own are at no provider. */
export function placeText(provider: string, region: string): string {
  return [provider, region].filter(Boolean).join(', ');
}

export function roleText(role: string): string {
  return role === 'loadBalancer' ? 'load balancer' : role;
}

/** A moment for people, of ISO 8601: `2026-11-27 02:19 UTC`. */
export function minuteText(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}
