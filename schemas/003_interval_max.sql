-- Schema 3: the largest latency of each interval of a series. NULL: nothing completed in it, or it was
-- stored before there was this column.

ALTER TABLE point_series ADD COLUMN read_lat_max_ns INTEGER CHECK (read_lat_max_ns > 0);
ALTER TABLE point_series ADD COLUMN write_lat_max_ns INTEGER CHECK (write_lat_max_ns > 0);
