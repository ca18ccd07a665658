/** Styles of views that are loaded when they are opened. */
declare module '*.css';
