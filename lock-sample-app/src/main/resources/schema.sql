create table if not exists stock (
  item varchar(40) primary key,
  quantity int not null,
  -- The highest fencing token that ever wrote this row.
  fence bigint not null
);
create table if not exists price_list (
  item varchar(40) primary key,
  price decimal(10, 2) not null
);
create table if not exists price_currency (
  item varchar(40) primary key,
  currency varchar(3) not null
);
-- For the page: what it numbers.
create table if not exists lock_grant (
  lock_name varchar(512) not null,
  token bigint not null,
  primary key (lock_name, token)
);
create table if not exists stock_report (
  reported_at timestamp default current_timestamp,
  instance varchar(40) not null,
  total int not null
);
