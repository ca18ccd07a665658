/** What this browser keeps for the console; where it may keep nothing, only this page remembers. */

const remembered = new Map<string, string>();

export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? remembered.get(name);
  } catch {
    return remembered.get(name);
  }
}

export function keep(name: string, value: string | undefined): void {
  remembered.delete(name);
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    if (value !== undefined) remembered.set(name, value);
  }
}
