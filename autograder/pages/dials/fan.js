dials.fan = ({ zoom, d, at }, width) => {
  const far = 10 ** zoom;
  const position = (far * at) / 100;
  const wavelengths = speeds(d).map((w) => (2 * Math.PI) / w);
  const tall = Math.max(18, 300 / wavelengths.length);
  const right = width - wide("wavelength") - 10;
  const [top, bottom] = [22, 22 + tall * wavelengths.length];
  const x = (right * at) / 100;
  const rows = wavelengths.map((wavelength, i) => {
    const y = top + (i + 0.5) * tall;
    const points = range(481).map((t) => [(right * t) / 480, y - (tall * 0.42) * Math.sin((2 * Math.PI * far * (t / 480)) / wavelength)]);
    // More than one wave per three pixels is a grey band, not a picture of a wave.
    const wave = far / wavelength > right / 3 ? box(0, y - tall * 0.42, right, tall * 0.84, "complete", 0.25) : path(points, "one");
    return wave + spot(x, y - tall * 0.42 * Math.sin((2 * Math.PI * position) / wavelength), 4, "below") +
      words(right + 8, y + 4, wavelength < 100 ? short(wavelength, 1) : thousands(wavelength), "start");
  });
  const says2 = `position ${position < 100 ? short(position, 1) : thousands(position)}`;
  const room = wide(says2, "strong") / 2;
  const marks = words(right + 8, 12, "wavelength", "start") + line(x, top, x, bottom, "four") + words(clamp(x, room, right - room), 12, says2, "strong") +
    words(0, bottom + 20, "0", "start") + words(right, bottom + 20, thousands(far), "end");
  const turning = wavelengths.filter((wavelength) => wavelength <= far).length;
  const says = `Over ${thousands(far)} positions, ${turning} of ${wavelengths.length} pairs make at least one full rotation. Wavelengths run from ${short(wavelengths[0], 1)} to ${thousands(wavelengths.at(-1))} positions.`;
  return {
    numbers: { wavelengths, turning }, height: bottom + 28, says, labels: { zoom: thousands(far), at: says2.slice(9) },
    picture: rows.join("") + marks + grip("at", 0, 0, right, bottom), drags: { at: (p) => ({ at: clamp(Math.round((100 * p) / right), 0, 100) }) },
  };
};
