// Packages that ship no types.
declare module 'flying-squid'
declare module 'flying-squid/*'
declare module 'prismarine-physics'
