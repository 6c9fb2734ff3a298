// Types of arena.js.
export interface OpenArena { port: number; lines: string[]; close(): Promise<unknown> }
/** The other options are those of `entente arena`, with "_" instead of "-". */
export function openArena(options?: { program?: string; [option: string]: string | number | boolean | undefined }): Promise<OpenArena>;
