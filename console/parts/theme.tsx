/** Light, dark, or as the system is. */
import { useEffect, useState } from 'react';
import { keep, kept } from '../storage.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const signs: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };
const place = 'kubeloom-console-theme';

const stored = (): Theme => themes.find((theme) => theme === kept(place)) ?? 'system';

export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored);
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
    keep(place, theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button type="button" className="quiet" onClick={() => setTheme(next)} title={`Theme: ${theme}. Change to ${next}`}>
      <span aria-hidden="true">{signs[theme]}</span>
      <span className="in-menu"> Theme: {theme}</span>
    </button>
  );
}
