/**
 * Chromium for tests on Linux from an npm package: prints the paths of the browser and its
 * libraries. The environment variable makes it unpack libraries that a bare machine lacks (see its
 * README).
 */
process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x'
const { default: chromium } = await import('@sparticuz/chromium')
const path = await chromium.executablePath()
console.log(JSON.stringify({ path, libraries: process.env.LD_LIBRARY_PATH }))
